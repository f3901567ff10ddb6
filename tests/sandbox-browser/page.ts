/** Gives the test access to embedded sandboxes in a page. */
import { createEmbeddedSandboxes, type Files, type SandboxLimits } from "../../src/sandbox/index.ts";

const factory = createEmbeddedSandboxes({ workers: 2 });

/** Runs commands, then the tests, in one fresh episode. */
async function episode(files: Files, commands: string[], limits: Partial<SandboxLimits>) {
  const sandbox = await factory.create(files, limits);
  const results = [];
  for (const command of commands) results.push(await sandbox.exec(command));
  const run = await sandbox.test();
  const after = await sandbox.snapshot();
  await sandbox.dispose();
  return { results, run, after };
}

Object.assign(globalThis, { episode });
