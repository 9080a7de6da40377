// Questions that are alike, side by side: the first of them as rows, and a way to review them together.

import type { AlikeGroup, QuestionRow, QueueView } from "../../src/web/api.ts";
import { linkTo } from "../route.ts";
import { T } from "../text.tsx";
import { QuestionItem } from "./queue-row.tsx";

/** The rows of the list, with those of a group under a line of their own. */
export function QuestionRows({ view: { questions, groups = [] } }: { readonly view: QueueView }) {
  return (
    <>
      {together(questions).map((rows) => {
        const group = groups.find(({ id }) => id === rows[0]?.group);
        const items = rows.map((row) => <QuestionItem key={row.id} row={row} />);
        if (group === undefined) return items;
        return (
          <li key={`alike ${group.id}`} class="queue-alike">
            <AlikeHead group={group} />
            <ul class="list">{items}</ul>
            {group.count > rows.length && (
              <p class="queue-alike-more">
                <a href={linkTo.together(group.id)}>{group.count - rows.length} more like these</a>
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

/** How many questions the list stands for, also those of a group that have no row. */
export function countFitting({ questions, groups = [], more = 0 }: QueueView): number {
  const inGroups = groups.reduce((sum, { count }) => sum + count, 0);
  return questions.filter(({ group }) => group === undefined).length + inGroups + more;
}
