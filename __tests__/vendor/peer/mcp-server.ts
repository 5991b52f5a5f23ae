// An MCP server over stdio with two tools and a resource.
import { createInterface } from 'node:readline';

interface Request {
  id?: number;
  method: string;
  params?: { protocolVersion?: string; name?: string };
}

const tool = (name: string) => ({ name, description: name, inputSchema: { type: 'object', properties: {} } });
const RESOURCE = { uri: 'demo://text', name: 'text', mimeType: 'text/plain' };
const ANSWERS: Readonly<Record<string, (request: Request) => object>> = {
  initialize: ({ params }) => ({
    protocolVersion: params?.protocolVersion,
    capabilities: { tools: {}, resources: {} },
    serverInfo: { name: 'demo', version: '1' },
  }),
  'tools/list': () => ({ tools: [tool('echo'), tool('other')] }),
  'tools/call': ({ params }) => ({ content: [{ type: 'text', text: `${params?.name} ran` }] }),
  'resources/list': () => ({ resources: [RESOURCE] }),
  'resources/read': () => ({ contents: [{ ...RESOURCE, text: 'text of the resource' }] }),
};

for await (const line of createInterface({ input: process.stdin })) {
  const request = JSON.parse(line) as Request;
  if (request.id === undefined) continue;
  const result = ANSWERS[request.method]?.(request) ?? {};
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id: request.id, result })}\n`);
}
