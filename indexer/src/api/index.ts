/** Ponder requires an HTTP application. Its indexed data is read from its views, so this application serves nothing. */
import { Hono } from 'hono';

export default new Hono();
