// The whole page: checks access, follows the route, and draws the frame around each view.

import { LinkRefused, NewLink, useEntrance } from "./entrance.tsx";
import { Frame } from "./frame.tsx";
import { parseRoute, useHash } from "./route.ts";
import { View } from "./view.tsx";

export function App() {
  const hash = useHash();
  const { access, refused, forget } = useEntrance(hash);
  if (access === "entering") return null;
  if (access === "out") return <NewLink refused={refused} />;
  const route = parseRoute(hash);
  return (
    <Frame route={route}>
      {refused !== null && <LinkRefused refused={refused} onClose={forget} />}
      <View route={route} />
    </Frame>
  );
}
