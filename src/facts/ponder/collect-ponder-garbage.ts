/** Loaded before Ponder, which would otherwise keep the garbage of its start and of its last busy minute. */
import { collectIdleGarbage } from '../../platform/collect-idle-garbage.ts';

collectIdleGarbage();
