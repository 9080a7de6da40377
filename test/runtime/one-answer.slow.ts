import test from "node:test";
import { compareOnRandomTrees } from "./one-answer.ts";

test("file tools and a box see and change the same files, on many trees", (t) => compareOnRandomTrees(t, 200));
