// Turns a granted step into a launch: resolves the mounts, network and limits of its box.
// Invariant: every path is resolved again here, because time has passed since the plan. If one leads elsewhere, the failure is `changed`.

import { lstatSync, readdirSync, readlinkSync } from "node:fs";
import type { Action, Step, View, ViewLink, ViewPath } from "../action/action.ts";
import { isInDraft } from "../action/draft-view.ts";
import type { Grant } from "../approval/grant.ts";
import { hideMatches } from "../policy/capability.ts";
import { type Confinement, Launch, type Mount } from "../process/launch.ts";
import { limits } from "../shared/limits.ts";
import { isWithin, joinPath, parentPath } from "../shared/path.ts";
import { fail, ok, type Result } from "../shared/result.ts";
import { isSameView } from "../workspace/location.ts";
import { type BoxWorkspace, emptyWorkspaceMount } from "./box-workspace.ts";
import type { DirectoryIndex } from "./directory-index.ts";
import { findHidden, type HiddenPath } from "./hide.ts";
import type { HideMemory } from "./hide-memory.ts";
import { copyOf, isReplacedIn, type Layer } from "./layer/layer.ts";
import type { LaunchFiles } from "./launch-files.ts";
import type { PreparedFiles } from "./prepared.ts";
import { resolvePath } from "../process/real-path.ts";
import { type DiskMount, shownAt, statAt } from "./shown-directory.ts";
import { hostSocketInView } from "./unix-sockets.ts";

const MiB = 1024 * 1024;

export interface BoxParts {
  readonly prepared: PreparedFiles;
  readonly baseView: readonly Mount[];
  readonly index: DirectoryIndex;
  readonly hideMemory: HideMemory;
  readonly files: LaunchFiles;
  /** Whether somebody judges the hosts that its programs connect to. */
  readonly hasNetwork?: boolean | undefined;
}

/** `layers`: where the box changes what it may change; null if there is no box. `workspace`: shown at /workspace; null shows an empty one. */
export function confine(
  grant: Grant,
  step: Step,
  parts: BoxParts,
  layers: readonly Layer[] | null,
  workspace: BoxWorkspace | null = null,
): Result<Launch> {
  const { action } = grant;
  // SECURITY(T02): the box shows only the workspace that was granted.
  if (workspace !== null && !isSameView(workspace.view, action.view.workspace))
    throw new TypeError("this workspace is not the one that was granted");
  const moved = findMoved(action.view, step) ?? (isReplacedIn(layers ?? [], step.cwd) ? step.cwd : null);
  if (moved !== null) {
    return fail("changed", `${moved} is not what it was when this call was judged.`, {
      hint: "Call again: it will be judged anew.",
    });
  }
  // SECURITY(T77): of a draft the box shows the overlay alone, through which no socket and no pipe of the project is reached.
  const paths = visiblePaths(action.view).filter(({ path }) => !isInDraft(action.view.workspace, path));
  const isShown = (path: string) => !isInDraft(action.view.workspace, path);
  const hidden = paths
    .flatMap((path) => findHidden(parts.index, path, parts.hideMemory))
    .filter(({ path }) => isShown(path));
  if (hidden.length > limits.hiddenPathCount) {
    return fail(
      "sandbox_unavailable",
      `${hidden.length} files match the grants' hide globs; a box can hide ${limits.hiddenPathCount}.`,
      {
        hint: "Hide the directory that holds them, or grant a smaller path.",
      },
    );
  }
  const unnameable = hidden.find(({ kind }) => kind === "unnameable");
  if (unnameable !== undefined) {
    return fail("sandbox_unavailable", `${unnameable.path} should be hidden, but its name is not UTF-8.`, {
      hint: "Rename it, or grant a smaller path.",
    });
  }
  const links = missingLinks(action.view, paths, parts).filter(({ path }) => isShown(path));
  // SECURITY(T48): nothing but the draft itself is mounted at a path of the draft, where a program could swap in a link that bubblewrap
  // would follow, or where the person's own files would appear.
  const overlays = (layers ?? []).filter(({ root }) => root.kind === "directory");
  const onDisk: DiskMount[] = [
    ...paths.flatMap(({ path, mode }) => onItself(path, mode, layers, action.view)),
    ...overlays.map(({ root }, number): DiskMount => ({
      kind: "layer",
      source: root.path,
      target: root.path,
      number,
      writable: true,
    })),
    ...overlays.flatMap(({ root }) => ownRepository(root.path, hidden)),
    ...hidden.map(({ path, kind }): DiskMount => {
      const source = kind === "file" ? parts.prepared.hiddenFile : parts.prepared.hiddenDirectory;
      return { kind: "bind", source, target: path, writable: false };
    }),
  ];
  const { mounts: shown = [] } = action.view;
  const network = boxNetwork(action.view, parts.hasNetwork === true);
  const confinement: Confinement = {
    mounts: inOrder([
      ...baseMounts(parts, network === "hosts" ? parts.prepared.etcOfHosts() : parts.prepared.etc, paths, links),
      ...onDisk,
      ...(workspace?.mounts(onDisk, action.view) ?? [emptyWorkspaceMount()]).filter(
        ({ target }) => !shown.some((mount) => isWithin(target, mount.target)),
      ),
      ...shown.flatMap((mount) => shownAt(onDisk, { ...mount, isReadOnly: true })),
      ...step.files.map((file): Mount => ({
        kind: "bind",
        source: "source" in file ? file.source : parts.files.put(file.content, file.isProgram === true),
        target: file.path,
        writable: false,
      })),
      ...links.map(({ path, target }): Mount => ({ kind: "link", target: path, text: target })),
    ]),
    overlay: workspace?.overlay ?? null,
    layers: overlays.map(({ root, directory }) => ({ root: root.path, directory })),
    draft: workspace?.draft ?? null,
    network,
    // SECURITY(T09): a box on the host's network can reach the host's abstract sockets.
    unixSockets: network !== "host" && !hostSocketInView(paths.map(({ path }) => path)),
    limits: launchLimits(action, step),
  };
  return ok(new Launch(grant, step, confinement));
}

/** SECURITY(T49): without somebody who judges hosts, a box has none. */
function boxNetwork({ network }: View, hasNetwork: boolean): Confinement["network"] {
  if (typeof network !== "object") return network;
  return hasNetwork ? "hosts" : "none";
}

/** Returns the first path that no longer leads where it led when the call was judged. */
function findMoved(view: View, step: Step): string | null {
  // /tmp and /workspace belong to the box unless a path in them is granted.
  const isOnDisk = !isInDraft(view.workspace, step.cwd) && view.paths.some(({ path }) => isWithin(step.cwd, path));
  const expected = [
    ...view.paths.map(({ path }) => [path, path] as const),
    ...(view.mounts ?? []).map(({ source }) => [source, source] as const),
    [step.argv[0] as string, step.program] as const,
    ...(isOnDisk ? [[step.cwd, step.cwd] as const] : []),
  ];
  // What lies in a draft is the session's own. The draft itself must be where it was.
  const moved = expected.find(
    ([path, real]) => !isInDraft(view.workspace, parentPath(path)) && resolvePath(path).real !== real,
  );
  if (moved !== undefined) return moved[0];
  return isOnDisk && statAt(step.cwd)?.isDirectory() !== true ? step.cwd : null;
}

/** The view's paths that exist and that no outer path of the view hides. */
function visiblePaths(view: View): ViewPath[] {
  return view.paths.filter(
    (inner) =>
      statAt(inner.path) !== undefined &&
      !view.paths.some(
        (outer) =>
          outer !== inner &&
          isWithin(inner.path, outer.path) &&
          hideMatches(outer, inner.path.slice(outer.path.length + 1)),
      ),
  );
}

function baseMounts(
  { prepared, baseView }: BoxParts,
  etc: string,
  paths: readonly ViewPath[],
  links: readonly ViewLink[],
): Mount[] {
  const isGranted = (target: string) => paths.some(({ path }) => isWithin(target, path));
  const mounts: Mount[] = [
    { kind: "proc", covers: prepared.covers },
    { kind: "dev", shmBytes: limits.shmMb * MiB },
  ];
  for (const mount of baseView)
    if (mount.kind === "link" || (mount.kind === "bind" && !isGranted(mount.target))) mounts.push(mount);
  if (!isGranted("/etc"))
    mounts.push(
      ...readOnlyTree(
        etc,
        "/etc",
        [...paths, ...links].map(({ path }) => path),
      ),
    );
  if (!isGranted("/tmp")) mounts.push({ kind: "scratch", target: "/tmp", sizeBytes: limits.tmpMb * MiB });
  return mounts;
}

/** Makes one bind, or one bind per entry if `others` lie below: a mount point cannot be created inside a read-only tree. */
function readOnlyTree(source: string, target: string, others: readonly string[]): Mount[] {
  if (!others.some((path) => path !== target && isWithin(path, target)))
    return [{ kind: "bind", source, target, writable: false }];
  const mounts: Mount[] = [{ kind: "directory", target }];
  for (const name of readdirSync(source)) {
    const from = joinPath(source, name);
    const to = joinPath(target, name);
    const found = lstatSync(from);
    if (others.includes(to)) continue;
    if (found.isSymbolicLink()) mounts.push({ kind: "link", target: to, text: readlinkSync(from) });
    else if (found.isDirectory()) mounts.push(...readOnlyTree(from, to, others));
    else mounts.push({ kind: "bind", source: from, target: to, writable: false });
  }
  return mounts;
}

/**
 * A path of the view that is no layer of its own. SECURITY(T08): it is writable only if git lands a push in it. Whatever else a call may
 * change is a layer, or lies in one.
 */
function onItself(path: string, mode: "r" | "rw", layers: readonly Layer[] | null, view: View): DiskMount[] {
  const layer = layers?.find(({ root }) => root.path === path);
  if (layer?.root.kind === "file") return [{ kind: "bind", source: copyOf(layer), target: path, writable: true }];
  if (layer !== undefined) return [];
  const isOpened = view.opens?.includes(path) === true;
  if (mode === "rw" && !isOpened && layers !== null) {
    if (layers.some(({ root }) => isWithin(path, root.path))) return [];
    if (statAt(path)?.isDirectory() === true || statAt(path)?.isFile() === true)
      throw new TypeError(`${path} has no layer`);
  }
  return [{ kind: "bind", source: path, target: path, writable: mode === "rw" && isOpened, pinned: true }];
}

/**
 * The repository at the top of a layer is read-only, so that a commit fails instead of getting lost. A landing holds it back in any case,
 * and every other one too.
 */
function ownRepository(root: string, hidden: readonly HiddenPath[]): DiskMount[] {
  const path = joinPath(root, ".git");
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found?.isDirectory() !== true && found?.isFile() !== true) return [];
  if (hidden.some((closed) => isWithin(path, closed.path))) return [];
  return [{ kind: "bind", source: path, target: path, writable: false, pinned: true }];
}

/** Links that lead into the view from outside. Links that the box already shows are left out. */
function missingLinks(view: View, paths: readonly ViewPath[], { prepared, baseView }: BoxParts): ViewLink[] {
  const isThere = (path: string) =>
    paths.some((granted) => isWithin(path, granted.path)) ||
    baseView.some((mount) =>
      mount.kind === "link" ? mount.target === path : mount.kind === "bind" && isWithin(path, mount.target),
    ) ||
    (isWithin(path, "/etc") &&
      lstatSync(joinPath(prepared.etc, path.slice("/etc/".length)), { throwIfNoEntry: false }) !== undefined);
  const missing = new Map(view.links.filter(({ path }) => !isThere(path)).map((link) => [link.path, link]));
  return [...missing.values()];
}

/** Sorts parents before children and otherwise keeps the order. */
function inOrder(mounts: readonly Mount[]): Mount[] {
  return mounts.toSorted((a, b) => depthOf(a) - depthOf(b));
}

function depthOf(mount: Mount): number {
  if (mount.kind === "proc" || mount.kind === "dev") return 1;
  return mount.target.split("/").length - 1;
}

function launchLimits(action: Action, step: Step): Confinement["limits"] {
  const { memoryMb, fsizeMb, diskMb, draftMb, nofile, nproc, cpuS } = action.limits;
  return {
    memoryBytes: memoryMb * MiB,
    fsizeBytes: fsizeMb * MiB,
    ...(diskMb === undefined ? {} : { diskBytes: diskMb * MiB }),
    ...(draftMb === undefined ? {} : { draftBytes: draftMb * MiB }),
    nofile,
    nproc,
    cpuS: cpuS ?? Math.ceil(step.timeoutMs / 1000),
  };
}
