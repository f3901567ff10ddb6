/** Stands in for node:zlib, which just-bash's browser build imports: files here are text, so nothing is compressed. */
const refuse = (): never => {
  throw new Error("compression is not available in this sandbox");
};
export const constants = { Z_BEST_COMPRESSION: 9, Z_BEST_SPEED: 1, Z_DEFAULT_COMPRESSION: -1 };
export const gunzipSync = refuse;
export const gzipSync = refuse;
