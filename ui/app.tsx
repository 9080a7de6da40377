// The whole page: checks access, follows the route, and draws the frame around each view.

import { lazy } from "./lazy.tsx";
import { LinkRefused, NewLink, useEntrance } from "./entrance.tsx";
import { NoticeBell } from "./notice-bell.tsx";
import { PageFrame } from "./page-frame.tsx";
import { parseRoute, useHash } from "./route.ts";
import { View } from "./view.tsx";

const PairThisDevice = lazy(async () => (await import("./devices/pair-this-device.tsx")).PairThisDevice);

/** The server speaks TLS for other devices alone. */
const isOtherDevice = location.protocol === "https:";

export function App() {
  const hash = useHash();
  const { access, refused, forget } = useEntrance(hash);
  if (access === "entering") return null;
  if (access === "out") return isOtherDevice ? <PairThisDevice /> : <NewLink refused={refused} />;
  const route = parseRoute(hash);
  return (
    <PageFrame route={route} beside={<NoticeBell />}>
      {refused !== null && <LinkRefused refused={refused} onClose={forget} />}
      <View route={route} />
    </PageFrame>
  );
}
