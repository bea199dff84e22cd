/** A visitor that visits nothing. The reason of its result is the settings that its process got. */

/** @param {import("siteatlas-fleet").WalkerSettings} settings */
export default async function echoVisitor(settings) {
  const reason = JSON.stringify(settings, (_, value) => (value === Infinity ? "Infinity" : value));
  return async () => ({ outcome: "empty", reason });
}
