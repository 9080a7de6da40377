// The whole page: checks access, follows the route, and draws the frame around each view.

import { LinkRefused, NewLink, useEntrance } from "./entrance.tsx";
import { NoticeBell } from "./notice-bell.tsx";
import { PageFrame } from "./page-frame.tsx";
import { parseRoute, useHash } from "./route.ts";
import { View } from "./view.tsx";

export function App() {
  const hash = useHash();
  const { access, refused, forget } = useEntrance(hash);
  if (access === "entering") return null;
  if (access === "out") return <NewLink refused={refused} />;
  const route = parseRoute(hash);
  return (
    <PageFrame route={route} beside={<NoticeBell />}>
      {refused !== null && <LinkRefused refused={refused} onClose={forget} />}
      <View route={route} />
    </PageFrame>
  );
}
