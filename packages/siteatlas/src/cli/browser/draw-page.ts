/** Draws an HTML page as a picture (PNG) and as a document for print (PDF), with an installed browser. */
import { OutputError } from "../process/output-error.ts";
import { Browser } from "./browser.ts";

/** Width of the page in CSS pixels. */
const WIDTH = 1280;
/** A picture has two pixels per CSS pixel, so that small text is sharp on any screen. */
const SCALE = 2;
/** Maximum height in pixels. Chromium draws nothing below it. */
const MAX_PIXELS = 16_384;
/** A page takes about 3 seconds. */
const MAX_MS = 60_000;

export interface Drawing {
  readonly png?: Uint8Array;
  readonly pdf?: Uint8Array;
}

interface DrawOptions {
  /** The program, from `findBrowser`. */
  readonly browser: string;
  readonly png: boolean;
  readonly pdf: boolean;
  /** Ends the browser. */
  readonly signal: AbortSignal;
  /** @default 60 seconds */
  readonly maxMs?: number;
}

/** @throws {OutputError} if the browser fails or takes too long */
export async function drawPage(html: string, options: DrawOptions): Promise<Drawing> {
  const { maxMs = MAX_MS, signal } = options;
  signal.throwIfAborted();
  const browser = await Browser.start(options.browser);
  const stop = (reason: string) => () => void browser.close(reason);
  const onAbort = stop("the browser was stopped");
  const timer = setTimeout(stop(`the browser did not finish within ${maxMs / 1000} seconds`), maxMs);
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await draw(browser, html, options);
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", onAbort);
    await browser.close();
  }
}

async function draw(browser: Browser, html: string, { png, pdf }: DrawOptions): Promise<Drawing> {
  const { targetId } = await browser.call<{ targetId: string }>("Target.createTarget", {
    url: "about:blank",
  });
  const { sessionId } = await browser.call<{ sessionId: string }>("Target.attachToTarget", {
    targetId,
    flatten: true,
  });
  const call = <T>(method: string, params?: object): Promise<T> => browser.call<T>(method, params, sessionId);
  await call("Page.enable");
  await call("Emulation.setScriptExecutionDisabled", { value: true });
  await call("Emulation.setEmulatedMedia", {
    features: [{ name: "prefers-color-scheme", value: "light" }],
  });
  await resize(call, 800, 1);
  const loaded = browser.event("Page.loadEventFired");
  // A data URL has no origin. So the page cannot read files, and the browser needs no file that it may not see.
  const url = `data:text/html;charset=utf-8;base64,${Buffer.from(html).toString("base64")}`;
  const { errorText } = await call<{ errorText?: string }>("Page.navigate", { url });
  if (errorText !== undefined) throw new OutputError(`the browser cannot show the page: ${errorText}`);
  await loaded;
  return {
    ...(pdf && { pdf: await print(call) }),
    ...(png && { png: await takePicture(call) }),
  };
}

type Call = <T>(method: string, params?: object) => Promise<T>;

async function resize(call: Call, height: number, scale: number): Promise<void> {
  const size = { width: WIDTH, height, deviceScaleFactor: scale, mobile: false };
  await call("Emulation.setDeviceMetricsOverride", size);
}

/** Takes a picture of the whole page: the window becomes as high as the page. */
async function takePicture(call: Call): Promise<Uint8Array> {
  const { cssContentSize } = await call<{ cssContentSize: { height: number } }>("Page.getLayoutMetrics");
  const height = Math.ceil(cssContentSize.height);
  await resize(
    call,
    Math.min(height, MAX_PIXELS),
    Math.max(1, Math.min(SCALE, Math.floor(MAX_PIXELS / height))),
  );
  return fromBase64(await call<{ data: string }>("Page.captureScreenshot", { format: "png" }));
}

/** Prints the page. Its style sheet sets the paper size. */
async function print(call: Call): Promise<Uint8Array> {
  const options = {
    printBackground: true,
    preferCSSPageSize: true,
    generateTaggedPDF: true,
    generateDocumentOutline: true,
  };
  return fromBase64(await call<{ data: string }>("Page.printToPDF", options));
}

function fromBase64({ data }: { data: string }): Uint8Array {
  return Buffer.from(data, "base64");
}
