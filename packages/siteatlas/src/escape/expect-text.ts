/**
 * Checks the arguments of the functions in this folder, because callers in plain JavaScript may pass any value. The
 * rest of the library uses check/ for this. escape/ cannot use check/, because check/ imports escape/ to mask secrets.
 */

/** Checks a text argument. @throws {TypeError} if the value is not a string */
export function expectText(caller: string, text: unknown, name = "text"): void {
  if (typeof text === "string") return;
  throw new TypeError(`${caller}: ${name} must be a string, not ${typeName(text)}`);
}

/** Checks an object with a single option. @throws {TypeError} for another option or another type */
export function expectOption(
  caller: string,
  options: object,
  name: string,
  type: "boolean" | "number",
): void {
  if (typeof options !== "object" || options === null) {
    throw new TypeError(`${caller}: options must be an object, not ${typeName(options)}`);
  }
  for (const [key, value] of Object.entries(options)) {
    if (value === undefined || (key === name && typeof value === type)) continue;
    throw new TypeError(
      key === name
        ? `${caller}: option ${name} must be a ${type}, not ${typeName(value)}`
        : `${caller}: unknown option ${JSON.stringify(key)}. The only option is ${name}`,
    );
  }
}

function typeName(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return "an array";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
