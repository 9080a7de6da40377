export * from "../process/real-path.ts";
