/**
 * The environment variables that walker processes inherit. These processes parse untrusted documents, so they do not
 * inherit variables that may be a secret or lead to a secret: the servers of the fleet, AWS_ACCESS_KEY_ID, HTTPS_PROXY,
 * PGPASSWORD, NODE_OPTIONS, HOME.
 */

const INHERITED: readonly string[] = [
  "PATH",
  "LANG",
  "LC_ALL",
  "TZ",
  "TMPDIR",
  "NODE_ENV",
  "UV_THREADPOOL_SIZE",
  // Additional certificate authorities. Some sites cannot be fetched without them.
  "NODE_EXTRA_CA_CERTS",
  "SSL_CERT_FILE",
  "SSL_CERT_DIR",
  // Windows cannot open sockets without this variable.
  "SystemRoot",
];

export function walkerEnvironment(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(
    INHERITED.flatMap((name) => (name in environment ? [[name, environment[name]]] : [])),
  );
}
