// Runs the Inspector's command line once for each line of stdin (a JSON list of words), in one process: to start it costs more than to look.
// Answers each with a line: {"code", "stdout", "stderr"}.
//
// node inspect_many.mjs PATH/OF/clients/cli/build/index.js
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const { runCli } = await import(pathToFileURL(process.argv[2]).href);
const write = process.stdout.write.bind(process.stdout);
const kept = { stdout: "", stderr: "" };
for (const name of ["stdout", "stderr"]) {
  process[name].write = (chunk, encoding, done) => {
    kept[name] += typeof chunk === "string" ? chunk : Buffer.from(chunk).toString();
    const told = typeof encoding === "function" ? encoding : done;
    if (told) told();
    return true;
  };
}

for await (const line of createInterface({ input: process.stdin })) {
  kept.stdout = kept.stderr = "";
  let code = 0;
  try {
    await runCli(["node", "mcp-inspector", ...JSON.parse(line)]);
  } catch (error) {
    code = error.exitCode ?? 1;
    kept.stderr += `${error.stack ?? error}\n`;
  }
  write(`${JSON.stringify({ code, ...kept })}\n`);
}
process.exit(0);
