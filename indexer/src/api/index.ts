/** Ponder wants a server's application; what it has indexed is read from its views, so that this one serves nothing. */
import { Hono } from 'hono';

export default new Hono();
