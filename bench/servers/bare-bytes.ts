/** What an answer from memory could cost at least: node:http with the same bytes for whoever asks. BODY and PORT say what. */
import { createServer } from 'node:http';

const { BODY: body = '', PORT: port } = process.env;

const server = createServer((_request, response) => {
  response.setHeader('content-type', 'application/json').end(body);
});
server.listen(Number(port), '127.0.0.1', () => process.send?.('listening'));
process.once('disconnect', () => process.exit(0));
