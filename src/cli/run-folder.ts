/** A run's folder: what it holds, and whether a command may begin, continue or replace the run in it. */
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createFileStorage } from "../storage/index.node.ts";
import type { Storage } from "../storage/index.ts";
import { packageInfo } from "./package-info.ts";
import type { ExperimentPreset } from "./presets.ts";

const VERSION = 1;
const RUN_KEY = "run.json";
export const SUMMARY_KEY = "summary.json";
/** What a run writes beside its record; nothing else in the folder is ever removed. */
const PARTS = /^((tasks|evaluation|trajectories|adapter)\/|(checkpoint\.safetensors|metrics\.jsonl|summary\.json|report\.html)$)/;

/** The folder cannot be used in the way asked for. */
export class RunFolderError extends Error {
  override name = "RunFolderError";
}

/** What a run is. */
export interface RunIdentity {
  preset: ExperimentPreset;
  seed: number;
  modelHash: string;
}

interface RunRecord extends RunIdentity {
  version: number;
  package: { name: string; version: string };
}

export interface RunOptions {
  resume?: boolean;
  force?: boolean;
}

const LOCK_KEY = "run.lock";

/**
 * Keeps other processes out of `dir` until the returned function is called. A lock whose process is gone does not count.
 * Throws `RunFolderError` when another process works there.
 */
export async function lockRun(dir: string): Promise<() => Promise<void>> {
  const path = join(dir, LOCK_KEY);
  await mkdir(dir, { recursive: true });
  for (let tries = 0; ; tries++) {
    try {
      await writeFile(path, String(process.pid), { flag: "wx" });
      return () => rm(path, { force: true });
    } catch (error) {
      if ((error as { code?: string }).code !== "EEXIST") throw error;
    }
    const owner = Number(await readFile(path, "utf8").catch(() => "0"));
    if (tries > 2 || isRunning(owner)) throw new RunFolderError(`process ${owner} is at work in ${dir}; wait for it, or choose another folder with --out (if no such run is under way, remove ${path})`);
    await rm(path, { force: true });
  }
}

function isRunning(pid: number): boolean {
  if (!(pid > 0)) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as { code?: string }).code === "EPERM";
  }
}

/**
 * Opens `dir` for a new run of `wanted`, or with `resume` for the unfinished one in it, whose recorded identity is then
 * returned. A finished or unfinished run is only replaced with `force`. Throws `RunFolderError`.
 */
export async function openRun(dir: string, wanted: RunIdentity, { resume = false, force = false }: RunOptions): Promise<{ storage: Storage; identity: RunIdentity }> {
  const storage = createFileStorage(dir);
  const data = await storage.read(RUN_KEY);
  const keys = (await storage.list("")).filter((key) => key !== LOCK_KEY);
  if (!data && resume) throw new RunFolderError(`there is no run to resume in ${dir}; start it without --resume`);
  if (!data && keys.length > 0) throw new RunFolderError(`${dir} holds other files (${keys[0]}); choose an empty folder with --out`);
  if (data && !force) {
    if (await storage.read(SUMMARY_KEY)) throw new RunFolderError(`${dir} holds a finished run; choose another folder with --out, or replace it with --force`);
    if (!resume) throw new RunFolderError(`${dir} holds an unfinished run; continue it with --resume, or start again with --force`);
    return { storage, identity: recorded(dir, data, wanted) };
  }
  // The record stays until it is replaced, so that an interrupted removal still leaves a run that can be.
  for (const key of keys.filter((key) => PARTS.test(key))) await storage.remove(key);
  const record: RunRecord = { version: VERSION, package: await packageInfo(), ...wanted };
  await storage.write(RUN_KEY, JSON.stringify(record, null, 2) + "\n");
  return { storage, identity: wanted };
}

/** The run that is to be continued, which must be of the same preset and model. */
function recorded(dir: string, data: Uint8Array, wanted: RunIdentity): RunIdentity {
  const { preset, seed, modelHash } = parse(dir, data);
  if (preset.name !== wanted.preset.name) throw new RunFolderError(`the run in ${dir} is one of preset "${preset.name}", not "${wanted.preset.name}"`);
  if (modelHash !== wanted.modelHash) throw new RunFolderError(`the run in ${dir} was started with model ${modelHash.slice(0, 12)}, not ${wanted.modelHash.slice(0, 12)}; give the same one with --model`);
  return { preset, seed, modelHash };
}

function parse(dir: string, data: Uint8Array): RunRecord {
  let record: RunRecord;
  try {
    record = JSON.parse(new TextDecoder().decode(data)) as RunRecord;
  } catch {
    throw new RunFolderError(`${dir}/${RUN_KEY} is not JSON; the folder is damaged, start the run again in another one`);
  }
  if (record.version !== VERSION) {
    const writer = record.package ? ` (${record.package.name} ${record.package.version})` : "";
    throw new RunFolderError(`the run in ${dir} has format version ${record.version}, this program writes version ${VERSION}; resume it with the program that started it${writer}, or start a new run in another folder`);
  }
  return record;
}
