// A server for the bench, in a process of its own: sends as many bytes as the first line asks for, and closes.
// Prints its port. Ends with its parent.

import { createServer } from "node:net";

const block = Buffer.alloc(1 << 20, 1);

const server = createServer((socket) => {
  socket
    .on("error", () => undefined)
    .once("data", (line) => {
      let left = Number(line.toString("latin1"));
      const send = () => {
        while (left > 0) {
          const part = left < block.length ? block.subarray(0, left) : block;
          left -= part.length;
          if (!socket.write(part)) return;
        }
        socket.end();
      };
      socket.on("drain", send);
      send();
    });
});
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  process.stdout.write(`${typeof address === "object" ? address?.port : ""}\n`);
});
process.stdin.on("end", () => process.exit()).resume();
