// Builds the arguments of native/keeper.c, the program that mounts what a box shows of a workspace and starts bubblewrap.

import type { BoxListener } from "../process/box-network.ts";
import type { LayerSource, OverlayMount } from "../process/launch.ts";
import { addressDigits } from "./address-digits.ts";

export interface OverlayCall {
  readonly overlay: Pick<OverlayMount, "lower" | "sizeBytes" | "fileCount">;
  /** An empty directory. Each call mounts on it in its own namespace, so all calls can share it. */
  readonly mountPoint: string;
  readonly outFd: number;
  readonly layers: readonly LayerSource[];
  readonly bubblewrap: string;
  readonly arguments: readonly string[];
}

export function onceArguments(call: OverlayCall): string[] {
  const { overlay, mountPoint, outFd, layers, bubblewrap, arguments: words } = call;
  return [
    "once",
    overlay.lower,
    mountPoint,
    String(overlay.sizeBytes),
    String(overlay.fileCount),
    String(outFd),
    ...layerWords(layers),
    "--",
    bubblewrap,
    ...words,
  ];
}

export interface LayersCall {
  /** An empty directory, as in `OverlayCall`. */
  readonly mountPoint: string;
  readonly layers: readonly LayerSource[];
  readonly bubblewrap: string;
  readonly arguments: readonly string[];
}

export function layersArguments({ mountPoint, layers, bubblewrap, arguments: words }: LayersCall): string[] {
  return ["layers", mountPoint, ...layerWords(layers), "--", bubblewrap, ...words];
}

/** A box that mounts nothing of its own, with a network: see `networkArguments`. */
export function plainArguments(bubblewrap: string, words: readonly string[]): string[] {
  return ["plain", "--", bubblewrap, ...words];
}

/** The channel and the listeners of a box that reaches single hosts: native/keeper-network.h. */
export interface NetworkCall {
  readonly channelFd: number;
  readonly key: string;
  readonly listeners: readonly BoxListener[];
}

/** The command of native/keeper with these arguments, for a box with these listeners. */
export function networkArguments({ channelFd, key, listeners }: NetworkCall, words: readonly string[]): string[] {
  const each = listeners.flatMap(({ kind, address, port }) => [
    kind === "dns" ? "d" : "t",
    address === null ? "*" : addressDigits(address),
    String(port),
  ]);
  return ["net", String(channelFd), key, ...each, "--", ...words];
}

function layerWords(layers: readonly LayerSource[]): string[] {
  return layers.flatMap(({ root, directory }) => [root, directory]);
}

/** `draft` is the draft's own directory. */
export function holdArguments(project: string, draft: string): string[] {
  return ["hold", project, draft, roomOf(draft)];
}

/** `bytes`: that are copied at most, and of one file. What to copy is the program's standard input: native/keeper-seed.h. */
export function seedArguments(project: string, draft: string, bytes: { most: number; file: number }): string[] {
  return ["seed", project, draft, String(bytes.most), String(bytes.file)];
}

/** Says what has changed in the project since it was copied: native/keeper-compare.h. */
export function compareArguments(project: string, draft: string): string[] {
  return ["compare", project, draft];
}

/** What `keeper join` says if the draft's holder has ended. Nothing has run then. */
export const noHolder = /^keeper: no holder: errno \d+$/;

export function joinArguments(
  draft: string,
  { mountPoint, layers, bubblewrap, arguments: words }: LayersCall,
): string[] {
  return ["join", draft, roomOf(draft), mountPoint, ...layerWords(layers), "--", bubblewrap, ...words];
}

/** Where a draft's holder mounts. For everybody else this directory is empty. */
export function roomOf(draft: string): string {
  return `${draft}/room`;
}

/** The path at which bubblewrap finds a layer of the call. */
export function layerPath(mountPoint: string, number: number): string {
  return `${mountPoint}/${number}`;
}

/** The path at which bubblewrap finds the overlay. */
export function mergedPath(mountPoint: string): string {
  return `${mountPoint}/merged`;
}
