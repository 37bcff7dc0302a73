/** Commands for the database itself. Run them as a superuser of the database. */

import type { Operation } from '../operations-world.ts';
import { needed } from '../read-option.ts';
import { handOverDatabase } from './hand-over-database.ts';

export const databaseOperations: Record<string, Operation> = {
  'database hand-over': {
    usage: '--from <role> --to <role>',
    options: ['from', 'to'],
    async run(world, { values }) {
      const roles = { from: needed(values, 'from'), to: needed(values, 'to') };
      const changed = await handOverDatabase(world, roles);
      return changed.map(({ kind, name }) => ({ object: kind.toLowerCase(), name, owner: roles.to }));
    },
  },
};
