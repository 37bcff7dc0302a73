/** The minimum cost of a response from memory: node:http with the same bytes for every caller, configured by BODY and PORT. */
import { createServer } from 'node:http';

const { BODY: body = '', PORT: port } = process.env;

const server = createServer((_request, response) => {
  response.setHeader('content-type', 'application/json').end(body);
});
server.listen(Number(port), '127.0.0.1', () => process.send?.('listening'));
process.once('disconnect', () => process.exit(0));
