/** How patient watching is. Not for the configuration: tests choose other values. */
export type WatchTiming = {
  /** How long the server keeps a watch open before it ends it in order. */
  readonly watchSeconds: number;
  /** A watch without an event or bookmark for this long is taken for dead and resumed. */
  readonly silenceMs: number;
  /** How often a source without permission, or one that is not served, is tried again. */
  readonly retryMs: number;
  /** A stream that cannot be resumed for this long fails the reading, so that somebody hears of it. */
  readonly outageMs: number;
  /** Without news, an empty delta says that all streams are alive. */
  readonly heartbeatMs: number;
  /** First wait before a broken stream is resumed; doubles up to the maximum. */
  readonly backoffMs: { readonly first: number; readonly max: number };
};

export const DEFAULT_WATCH_TIMING: WatchTiming = {
  // client-go's reflector asks for 5 to 10 minutes.
  watchSeconds: 480,
  // The API server sends a bookmark about once a minute (`defaultBookmarkFrequency`); two may be late.
  silenceMs: 150_000,
  retryMs: 60_000,
  outageMs: 30_000,
  heartbeatMs: 60_000,
  backoffMs: { first: 100, max: 5_000 },
};
