/** Loaded before Ponder, which keeps the garbage of its start and of its last busy minute otherwise. */
import { collectIdleGarbage } from '../../platform/collect-idle-garbage.ts';

collectIdleGarbage();
