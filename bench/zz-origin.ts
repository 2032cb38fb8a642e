import { createServer } from "node:http";
import { startCorpus } from "./archive.ts";
const n = Number(process.argv[2]); const folder = process.argv[3] as string;
const a = await startCorpus(folder, n);
const middle = a.content.articles.at(Math.floor(n / 2))?.id ?? "";
let k = 0;
await a.run("crawl"); await a.run("media");
createServer(async (_q, s) => { a.content.articles.edit(middle, { title: `Edited ${++k} times` }); await a.run("crawl"); s.end("ok\n"); }).listen(7799, "127.0.0.1");
console.log("ready");
