// Serves the files of a change one at a time: of a push that is asked about, or of a staged commit.

import { type Context, Hono } from "hono";
import type { z } from "zod";
import type { DiffFile } from "../action/diff-file.ts";
import { type FileOfSide, fileOfSide, type Side, sides } from "../runtime/pushed-bytes.ts";
import { limits } from "../shared/limits.ts";
import type { ContextLines, FileHunks } from "./api.ts";
import { contextLines, linesAfter, linesQuery } from "./context-lines.ts";
import { type ListedFile, listedFiles, partOf } from "./file-views.ts";
import { rasterType } from "./picture.ts";
import { readValue } from "./read-body.ts";
import { refuseNotFound, refuse } from "./refuse.ts";

export interface ReviewedChange {
  readonly files: readonly DiffFile[];
  /** The verified bytes of one side; null if they are not kept. */
  bytes(side: Side, file: FileOfSide): Promise<Uint8Array | null>;
}

/** `/:id/files/:n`, its unchanged lines, and both sides as pictures. */
export function changeRoutes(find: (id: string) => Promise<ReviewedChange | undefined>): Hono {
  const routes = new Hono();
  const lists = new WeakMap<ReviewedChange, readonly ListedFile[]>();
  const withFile = async (
    c: Context,
    work: (change: ReviewedChange, file: DiffFile, part: number | null) => Response | Promise<Response>,
  ) => {
    const change = await find(c.req.param("id") ?? "");
    const number = c.req.param("n") ?? "";
    if (change === undefined || !/^\d{1,7}$/.test(number)) return refuseNotFound(c, "This file");
    const list = lists.get(change) ?? listedFiles(change.files);
    lists.set(change, list);
    const listed = list[Number(number)];
    return listed === undefined ? refuseNotFound(c, "This file") : await work(change, listed.file, listed.part);
  };
  routes.get("/:id/files/:n", (c) =>
    withFile(c, async (change, file, part) => {
      const hunk = part === null ? null : await partOf(change, file, part);
      if (hunk !== null) return c.json<FileHunks>({ hunks: [hunk] });
      if (part !== null) return refuseNotFound(c, "The content of this file", "What was staged is not kept any more.");
      const after = await linesAfter(change, file);
      return c.json<FileHunks>({ hunks: file.hunks, ...(after === null ? {} : { newLines: after.lines.length }) });
    }),
  );
  routes.get("/:id/files/:n/lines", (c) =>
    withFile(c, async (change, file) => {
      const query = readValue(c, c.req.query(), linesQuery as z.ZodType<z.output<typeof linesQuery>>);
      if (query instanceof Response) return query;
      const after = await linesAfter(change, file);
      if (after === null) return refuseNotFound(c, "The content of this file");
      return c.json<ContextLines>({ lines: contextLines(after, query.from, query.to) });
    }),
  );
  for (const side of sides)
    routes.get(`/:id/files/:n/${side}`, (c) => withFile(c, (change, file) => picture(c, change, file, side)));
  return routes;
}

async function picture(c: Context, change: ReviewedChange, diff: DiffFile, side: Side): Promise<Response> {
  const file = fileOfSide(diff, side);
  if (file === null) return refuseNotFound(c, "This side of the file");
  if (file.size > limits.pictureBytes)
    return refuse(c, 413, "too_large", `The file is longer than ${limits.pictureBytes} bytes, so it is not shown.`);
  const bytes = await change.bytes(side, file);
  if (bytes === null) return refuseNotFound(c, "The content of this side of the file");
  const type = rasterType(bytes);
  if (type === null)
    return refuse(
      c,
      415,
      "unsupported",
      "The file is not a picture of a kind that is shown: PNG, JPEG, GIF, WebP, AVIF.",
    );
  return c.body(Uint8Array.from(bytes), 200, { "Content-Type": type });
}
