export * from "./types.ts";
export { EnvironmentError, environmentFromFiles } from "./environment.ts";
export { applyHunks } from "./hunks.ts";
export { mutationSites, type Site, siteUse } from "./sites.ts";
