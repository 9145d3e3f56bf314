// Visits a room's MCP server with the Node SDK and prints what it saw as JSON.
// Arguments: the folder with node_modules, the era (legacy or modern), then the server's command line.
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const [folder, era, command, ...args] = process.argv.slice(2);
const require = createRequire(pathToFileURL(`${folder}/package.json`));
const load = async (name) => import(pathToFileURL(require.resolve(name)));

const info = { name: "node-test", version: "1" };
let client;
let transport;
const server = { command, args, env: process.env, stderr: "inherit" };
if (era === "legacy") {
  const { Client } = await load("@modelcontextprotocol/sdk/client/index.js");
  const { StdioClientTransport } = await load("@modelcontextprotocol/sdk/client/stdio.js");
  client = new Client(info);
  transport = new StdioClientTransport(server);
} else {
  const { Client } = await load("@modelcontextprotocol/client");
  const { StdioClientTransport } = await load("@modelcontextprotocol/client/stdio");
  client = new Client(info, { versionNegotiation: { mode: "auto" } });
  transport = new StdioClientTransport(server);
}
await client.connect(transport);
const tools = await client.listTools();
const said = await client.callTool({ name: "say_to_room", arguments: { content: "やあ 🚀" } });
const history = await client.callTool({ name: "read_room_history", arguments: {} });
const seen = { instructions: client.getInstructions(), tools: tools.tools.map((tool) => tool.name), said, history };
console.log(JSON.stringify(seen));
await client.close();
