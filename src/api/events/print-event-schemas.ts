/** Prints schema/events.json: `node src/api/events/print-event-schemas.ts`. */
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { schema } from '../graphql/schema.ts';
import { eventSchemas } from './event-schemas.ts';

const file = fileURLToPath(new URL('../../../schema/events.json', import.meta.url));
writeFileSync(file, `${JSON.stringify(eventSchemas(schema), null, 2)}\n`);
