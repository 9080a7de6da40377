// Questions that are alike, side by side: the first of them as rows, and a way to review them together.

import type { AlikeGroup, QuestionRow, QueueView } from "../../src/web/api.ts";
import { limits } from "../../src/shared/limits.ts";
import { linkTo } from "../route.ts";
import { T } from "../text.tsx";
import { QuestionItem } from "./queue-row.tsx";

/** The rows of the list, with those of a group under a line of their own. */
export function QuestionRows({ view: { questions, groups = [] } }: { readonly view: QueueView }) {
  return (
    <>
      {together(questions).map((rows) => {
        const group = groups.find(({ id }) => id === rows[0]?.group);
        const shown = group === undefined ? rows : rows.slice(0, limits.alikeShown);
        const items = shown.map((row) => <QuestionItem key={row.id} row={row} />);
        if (group === undefined) return items;
        return (
          <li key={`alike ${group.id}`} class="queue-alike">
            <AlikeHead group={group} />
            <ul class="list">{items}</ul>
            {group.count > shown.length && (
              <p class="queue-alike-more">
                <a href={linkTo.together(group.id)}>{group.count - shown.length} more like these</a>
              </p>
            )}
          </li>
        );
      })}
    </>
  );
}

function AlikeHead({ group: { id, count, wants } }: { readonly group: AlikeGroup }) {
  return (
    <p class="queue-alike-head">
      <span>
        {count} alike: <T text={wants} maxLength={300} />
      </span>
      <a class="button is-plain" href={linkTo.together(id)}>
        Review together
      </a>
    </p>
  );
}

/** The rows of each group; of a question that is alike to no other, one row. */
function together(rows: readonly QuestionRow[]): readonly (readonly QuestionRow[])[] {
  const lists: QuestionRow[][] = [];
  for (const row of rows) {
    const last = lists.at(-1);
    if (row.group !== undefined && last?.[0]?.group === row.group) last.push(row);
    else lists.push([row]);
  }
  return lists;
}

/** How many questions fit the filter. */
export function countFitting({ questions, more = 0 }: QueueView): number {
  return questions.length + more;
}

/** How many fit the filter and have neither a row nor a group here. */
export function countUnlisted({ questions, groups = [], more = 0 }: QueueView): number {
  const inGroups = groups.reduce((sum, { count }) => sum + count, 0);
  return more - (inGroups - questions.filter(({ group }) => group !== undefined).length);
}
