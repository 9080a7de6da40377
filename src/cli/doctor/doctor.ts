// `sallyport doctor`: inspects the machine and the configuration, changes nothing, and reports what it found.

import { safeJson } from "../../audit/entry.ts";
import { ownCommand } from "../../config/own-command.ts";
import { readReport, type ReportFlags } from "./doctor-report.ts";
import { reportLines } from "./doctor-text.ts";
import { exitCode } from "../exit-code.ts";
import type { Json } from "../../shared/json.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { UsageError } from "../usage-error.ts";

export interface DoctorFlags extends ReportFlags {
  readonly json?: boolean;
  readonly notify?: boolean;
}

export async function doctorCommand(flags: DoctorFlags, terminal: Terminal): Promise<number> {
  const { out, environment } = terminal;
  if (flags.notify === true) {
    if (flags.json === true) throw new UsageError("doctor: --notify goes without --json");
    return await (await import("./doctor-notify.ts")).tryChannels(flags, terminal);
  }
  const report = await readReport(flags, environment);
  if (flags.json === true) await out.line(safeJson(report as unknown as Json));
  else for (const line of reportLines(report, out, ownCommand(environment, flags))) await out.line(line);
  return report.ok ? exitCode.ok : exitCode.refused;
}
