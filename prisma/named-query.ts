/**
 * A named statement whose columns Postgres describes once per connection. The driver requests their description with every execution, and
 * for rows of many columns, sending and reading it costs more than the row. A description stays valid, because Postgres refuses to execute
 * a prepared statement whose columns have changed.
 */
import pg from 'pg';

/** What the driver derives from a description in order to read rows. */
type Description = { fields: unknown; _parsers: unknown; _prebuiltEmptyResultObject: unknown };

/** The parts of the driver's class that its types do not include. */
type DriverQuery = pg.Query & {
  name: string;
  _result: Description;
  _accumulateRows: boolean;
  prepare(connection: pg.Connection): void;
  handleRowDescription(message: object): void;
};
const DriverQuery = pg.Query as unknown as new (config: pg.QueryConfig) => DriverQuery;

type Known = {
  /** The connection, except that it does not request descriptions. */
  silent: pg.Connection;
  descriptions: Map<string, Description>;
};

const knownBy = new WeakMap<pg.Connection, Known>();

/** The config must contain a name and type parsers, the same for every execution of this name. */
export class NamedQuery extends DriverQuery {
  #descriptions: Known['descriptions'] | undefined;

  override prepare(connection: pg.Connection): void {
    const { silent, descriptions } = knownOf(connection);
    const description = descriptions.get(this.name);
    if (description) {
      Object.assign(this._result, description);
      this._accumulateRows = true;
      super.prepare(silent);
    } else {
      this.#descriptions = descriptions;
      super.prepare(connection);
    }
  }

  override handleRowDescription(message: object): void {
    super.handleRowDescription(message);
    const { fields, _parsers, _prebuiltEmptyResultObject } = this._result;
    this.#descriptions?.set(this.name, { fields, _parsers, _prebuiltEmptyResultObject });
  }
}

function knownOf(connection: pg.Connection): Known {
  const found = knownBy.get(connection);
  if (found) return found;
  const silent: pg.Connection = Object.create(connection, { describe: { value: () => undefined } });
  const made = { silent, descriptions: new Map<string, Description>() };
  knownBy.set(connection, made);
  return made;
}
