export * from "./trajectory.ts";
export { CAPS, type Caps } from "./caps.ts";
export { EpisodeError, runEpisode } from "./loop.ts";
