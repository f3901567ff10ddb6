/** The kernel files, one per family; how they are loaded differs between Node and browsers. */
export const KERNEL_FILES = ["elements", "product", "rows", "rope", "attention", "attention-backward", "head", "sample"] as const;
export type KernelFile = (typeof KERNEL_FILES)[number];
/** WGSL text of each file, and of what stands before all of them. */
export type KernelSources = Readonly<Record<KernelFile | "prelude", string>>;
