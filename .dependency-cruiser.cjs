/** The floors of the house (docs/architecture.md), lowest first. A folder may use its own floor's and lower public faces. */
const floors = [["compute", "storage", "sandbox"], ["model", "tasks"], ["policy", "agent"], ["frontier", "rl"], ["app", "cli"]];

const upwards = floors.slice(0, -1).map((floor, i) => ({
  name: `no-upward-import-from-${floor.join("-")}`,
  comment: "A file imports from its own floor or from below.",
  severity: "error",
  from: { path: `^src/(${floor.join("|")})/` },
  to: { path: `^src/(${floors.slice(i + 1).flat().join("|")})/` },
}));

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    ...upwards,
    { name: "no-circular", comment: "No circular imports.", severity: "error", from: {}, to: { circular: true } },
    {
      name: "public-face-only",
      comment: "Each folder's index.ts is its whole public face (tests and the folder itself may look inside).",
      severity: "error",
      from: { path: "^src/([^/]+)/", pathNot: "\\.test\\.ts$" },
      to: { path: "^src/[^/]+/.+", pathNot: ["^src/$1/", "^src/[^/]+/index(\\.node)?\\.ts$"] },
    },
    {
      name: "workers-are-thin",
      severity: "error",
      from: { path: "^workers/" },
      to: { path: "^src/[^/]+/.+", pathNot: "^src/[^/]+/(index(\\.node)?|worker|.*\\.worker)\\.ts$|^src/sandbox/embedded/" },
    },
    {
      name: "no-unresolvable",
      severity: "error",
      from: { pathNot: "\\.test\\.ts$" },
      to: { couldNotResolve: true, pathNot: "\\?(url|raw|worker)|^build/|virtual:" },
    },
    { name: "not-to-dev-dependencies", severity: "error", from: { path: "^(src|workers)/", pathNot: "\\.test\\.ts$" }, to: { dependencyTypes: ["npm-dev"] } },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    exclude: { path: "^src/compute/wasm/assembly/" },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
    enhancedResolveOptions: { exportsFields: ["exports"], conditionNames: ["import", "node", "default", "types"] },
  },
};
