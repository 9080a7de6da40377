import test from "node:test";
import { compareOnRandomTrees } from "./one-answer.ts";

test("file tools and a box see and change the same files, under each name", (t) => compareOnRandomTrees(t, 10));
