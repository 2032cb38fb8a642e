import { startCorpus } from "./archive.ts";
import { cpSync, renameSync } from "node:fs";
const n = Number(process.argv[2]); const folder = process.argv[3] as string;
const a = await startCorpus(folder, n);
const middle = a.content.articles.at(Math.floor(n / 2))?.id ?? "";
let k = 0;
const edit = async () => { a.content.articles.edit(middle, { title: `Edited ${++k} times` }); await a.run("crawl"); };
console.log("crawl", await a.run("crawl"));
console.log("media", await a.run("media"));
console.log("build", await a.run("build"));
for (let i = 0; i < 2; i++) { await edit(); console.log("edit", await a.run("build")); }
await edit();
await a.close();
