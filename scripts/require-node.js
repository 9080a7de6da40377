// Loaded before the tests: on a node without type stripping every test file would fail with a riddle.

const [major, minor] = process.versions.node.split(".").map(Number);

if (major < 22 || (major === 22 && minor < 18)) {
  console.error("The tests need node 22.18 or newer; this is " + process.version + ". Run them with: npm test");
  process.exit(1);
}
