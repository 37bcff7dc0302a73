/**
 * PostGraphile on the tables of an installation, in the production setup from its documentation: without credentials, rate limits or document
 * costs. Configured by DATABASE_URL and PORT.
 */
import { createServer } from 'node:http';
import { postgraphile } from 'postgraphile';
import { makePgService } from 'postgraphile/adaptors/pg';
import { grafserv } from 'postgraphile/grafserv/node';
import { PostGraphileAmberPreset } from 'postgraphile/presets/amber';

const { DATABASE_URL: connectionString, PORT: port } = process.env;
const instance = postgraphile({
  extends: [PostGraphileAmberPreset],
  pgServices: [makePgService({ connectionString, schemas: ['public'], poolConfig: { max: 5, idleTimeoutMillis: 0 } })],
  grafserv: { graphqlPath: '/graphql', graphiql: false, watch: false },
  grafast: { explain: false },
});
const server = createServer();
server.on('error', (error) => {
  throw error;
});
await instance.createServ(grafserv).addTo(server);
server.listen(Number(port), '127.0.0.1', () => process.send?.('listening'));
process.once('disconnect', () => process.exit(0));
