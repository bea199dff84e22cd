import { describe, expect, it } from "vitest";
import { classifyError } from "../../src/fetch/classify-error.ts";

const withCode = (code: string): Error => Object.assign(new Error("127.0.0.1 \x1b[31m"), { code });

describe("the class of an error", () => {
  it.each([
    ["ECONNREFUSED", "http.connection", true, true],
    ["UND_ERR_CONNECT_TIMEOUT", "http.connection", true, true],
    ["EHOSTUNREACH", "http.connection", true, true],
    ["ECONNRESET", "http.connection", true, false],
    ["EPIPE", "http.connection", true, false],
    ["UND_ERR_SOCKET", "http.connection", true, false],
    ["UND_ERR_DESTROYED", "http.connection", false, false],
    ["ENOTFOUND", "http.dns", false, true],
    ["EAI_AGAIN", "http.dns", false, true],
    // sec-U14: codes of c-ares.
    ["ESERVFAIL", "http.dns", false, true],
    ["EBADNAME", "http.dns", false, true],
    ["EBADQUERY", "http.dns", false, true],
    ["EBADRESP", "http.dns", false, true],
    ["EFORMERR", "http.dns", false, true],
    ["EREFUSED", "http.dns", false, true],
    ["ENONAME", "http.dns", false, true],
    ["ENOTIMP", "http.dns", false, true],
    ["ETIMEOUT", "http.dns", false, true],
    ["ECANCELLED", "http.dns", false, true],
    ["ETIMEDOUT", "http.connection", true, true],
    ["SITEATLAS_TIMEOUT", "http.timeout", false, false],
    ["UND_ERR_HEADERS_TIMEOUT", "http.timeout", false, false],
    ["ERR_BLOCKED_ADDRESS", "http.blocked-address", false, false],
    ["ERR_BLOCKED_PORT", "http.blocked-port", false, false],
    ["SITEATLAS_CODING", "http.bad-content-encoding", false, false],
    ["CERT_HAS_EXPIRED", "http.tls", false, true],
    ["DEPTH_ZERO_SELF_SIGNED_CERT", "http.tls", false, true],
    ["ERR_TLS_CERT_ALTNAME_INVALID", "http.tls", false, true],
    ["ERR_SSL_WRONG_VERSION_NUMBER", "http.tls", false, true],
    ["UNABLE_TO_VERIFY_LEAF_SIGNATURE", "http.tls", false, true],
    ["HPE_INVALID_CONSTANT", "http.protocol", false, false],
    ["UND_ERR_HEADERS_OVERFLOW", "http.protocol", false, false],
    ["SITEATLAS_PROTOCOL", "http.protocol", false, false],
    ["E_WHATEVER", "http.connection", true, false],
  ])("%s", (code, issue, isTransient, connecting) => {
    const failure = classifyError(withCode(code));
    expect(failure).toMatchObject({ code: issue, isTransient, connecting });
    // sec-C12: the reason contains nothing that the server could have chosen.
    expect(failure.reason).toMatch(/^[a-zA-Z :,-]+$/);
  });

  it("is read from the cause, where fetch has the code", () => {
    const error = new TypeError("fetch failed", { cause: withCode("ENOTFOUND") });
    expect(classifyError(error).code).toBe("http.dns");
  });

  it("is read from the name if undici drops the code", () => {
    const error = Object.assign(new Error(), { name: "HTTPParserError", code: undefined });
    expect(classifyError(error).code).toBe("http.protocol");
  });

  it.each([undefined, "text", 42, {}, new Error()])("%s is a broken connection", (error) => {
    expect(classifyError(error)).toMatchObject({ code: "http.connection", isTransient: true });
  });

  it("is found even if the causes form a cycle", () => {
    const error = new Error();
    error.cause = error;
    expect(classifyError(error).code).toBe("http.connection");
  });
});
