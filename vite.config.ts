import { defineConfig } from "vitest/config";

export default defineConfig({
  base: "./",
  test: {
    include: ["src/**/*.test.ts", "tests/**/*.test.ts", "scripts/**/*.test.ts", "environments/*.test.ts"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Two cores: one worker for the tests, one core for the threads and sandboxes they start.
    pool: "forks",
    maxWorkers: 2,
  },
});
