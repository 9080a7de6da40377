// Three small charts of the record. Each is also a table or a sentence, for people who cannot see it.

import { useMemo } from "preact/hooks";
import type { StatsView } from "../../src/web/api.ts";
import { useMedia } from "../media.ts";
import { T } from "../text.tsx";
import { countBars, everyHour, hourBars, timeBars } from "./chart-shape.ts";
import { refusalText } from "./event-words.ts";
import "./pictures.css";
import { countText, dayText, spanText } from "./time-text.ts";

const ROWS = 5;

export function Pictures({ stats }: { readonly stats: StatsView | null }) {
  const isNarrow = useMedia("(max-width: 48rem)");
  const pictures = (
    <section class="pictures" aria-label="At a glance">
      <Hours stats={stats} />
      <Refusals stats={stats} />
      <Times stats={stats} />
    </section>
  );
  if (!isNarrow) return pictures;
  return (
    <details class="pictures-folded">
      <summary>At a glance</summary>
      {pictures}
    </details>
  );
}

const size = { width: 336, height: 64 };

function Hours({ stats }: { readonly stats: StatsView | null }) {
  const now = Date.now();
  const hours = useMemo(() => everyHour(stats?.hours ?? [], now), [stats]);
  const { calls, refused, most } = hourBars(hours, size);
  const busy = hours.filter((hour) => hour.calls > 0 || hour.refused > 0);
  const sum = { calls: total(hours, "calls"), refused: total(hours, "refused") };
  const days = Math.round(hours.length / 24);
  const span = days <= 1 ? "the last 24 hours" : `the last ${days} days`;
  const title = `Calls and refusals in each hour of ${span}`;
  return (
    <figure class="panel picture">
      <figcaption class="picture-title">
        <span>
          <strong>{countText(sum.calls)}</strong> {sum.calls === 1 ? "call" : "calls"},{" "}
          <strong class="is-bad">{countText(sum.refused)}</strong> refused
        </span>
        <span class="quiet">{span}</span>
      </figcaption>
      <svg
        class="hours"
        viewBox={`0 0 ${size.width} ${size.height}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${title}: ${sum.calls} calls, ${sum.refused} refused, at most ${Math.max(0, ...hours.map((hour) => hour.calls))} in one hour.`}
      >
        <line class="hours-grid" x1="0" x2={size.width} y1="0.5" y2="0.5" />
        <line class="hours-grid" x1="0" x2={size.width} y1={size.height / 2} y2={size.height / 2} />
        {calls.map((bar) => (
          <rect key={`c${bar.x}`} class="bar-calls" {...bar} />
        ))}
        {refused.map((bar) => (
          <rect key={`r${bar.x}`} class="bar-refused" {...bar} />
        ))}
        <line class="hours-ground" x1="0" x2={size.width} y1={size.height - 0.5} y2={size.height - 0.5} />
      </svg>
      <p class="picture-axis" aria-hidden="true">
        <span>{hourText(hours[0]?.hour ?? "", now)}</span>
        <span>full height: {countText(most)}</span>
        <span>now</span>
      </p>
      <div class="said">
        <table>
          <caption>{title}, those in which anything happened</caption>
          <thead>
            <tr>
              <th scope="col">Hour</th>
              <th scope="col">Calls</th>
              <th scope="col">Refused</th>
            </tr>
          </thead>
          <tbody>
            {busy.map((hour) => (
              <tr key={hour.hour}>
                <th scope="row">{hourText(hour.hour, now)}</th>
                <td>{hour.calls}</td>
                <td>{hour.refused}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </figure>
  );
}

function total(
  hours: readonly { readonly calls: number; readonly refused: number }[],
  name: "calls" | "refused",
): number {
  return hours.reduce((sum, hour) => sum + hour[name], 0);
}

const shortDay = new Intl.DateTimeFormat("en-GB", { weekday: "short", day: "numeric", month: "short" });

function hourText(iso: string, now: number): string {
  const time = new Date(iso);
  if (Number.isNaN(time.getTime())) return "";
  const name = /^(Today|Yesterday)/.exec(dayText(iso, now))?.[0] ?? shortDay.format(time).replace(",", "");
  return `${name} ${String(time.getHours()).padStart(2, "0")}:00`;
}

function Refusals({ stats }: { readonly stats: StatsView | null }) {
  const bars = countBars(stats?.refusals ?? {}, ROWS);
  return (
    <div class="panel picture">
      <table class="picture-table">
        <caption class="picture-title">
          Refusals by kind <span class="quiet">ever</span>
        </caption>
        <thead class="said">
          <tr>
            <th scope="col">Kind</th>
            <th scope="col">Share</th>
            <th scope="col">Count</th>
          </tr>
        </thead>
        <tbody>
          {bars.map(({ name, count, share }) => (
            <tr key={name}>
              <th scope="row">
                <a href={`#/log?text=${encodeURIComponent(name)}&event=tool.call.denied`}>
                  <T text={refusalText(name)} maxLength={40} />
                </a>
              </th>
              <td class="picture-bar">
                <Bar full={share} class="bar-refused" />
              </td>
              <td class="is-number">{countText(count)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {stats !== null && bars.length === 0 && <p class="quiet">Nothing was refused yet.</p>}
    </div>
  );
}

function Times({ stats }: { readonly stats: StatsView | null }) {
  const bars = timeBars(stats?.durations ?? {}, ROWS);
  return (
    <div class="panel picture">
      <table class="picture-table is-times">
        <caption class="picture-title">
          Time per tool <span class="quiet">half within, 95 of 100 within</span>
        </caption>
        <thead class="said">
          <tr>
            <th scope="col">Tool</th>
            <th scope="col">Range</th>
            <th scope="col">Half within</th>
            <th scope="col">95 of 100 within</th>
          </tr>
        </thead>
        <tbody>
          {bars.map(({ tool, p50Ms, p95Ms, half, most }) => (
            <tr key={tool}>
              <th scope="row">
                <a href={`#/log?tool=${encodeURIComponent(tool)}`}>
                  <T text={tool} maxLength={40} />
                </a>
              </th>
              <td class="picture-bar">
                <Bar full={half} rest={most} class="bar-calls" />
              </td>
              <td class="is-number">{spanText(p50Ms)}</td>
              <td class="is-number">{spanText(p95Ms)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {stats !== null && bars.length === 0 && <p class="quiet">No program has ended yet.</p>}
    </div>
  );
}

/** `full` is from 0 to 1. The bar is always wide enough to see. `rest` is a paler continuation. */
function Bar({ full, rest, class: style }: { readonly full: number; readonly rest?: number; readonly class: string }) {
  const width = Math.max(2, full * 100);
  return (
    <svg class="bar" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
      {rest !== undefined && rest * 100 > width && (
        <rect class={`${style} is-pale`} x={width} y="0" width={rest * 100 - width} height="8" />
      )}
      <rect class={style} x="0" y="0" width={width} height="8" />
    </svg>
  );
}
