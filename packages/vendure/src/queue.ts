import { Injectable, type OnModuleInit } from '@nestjs/common';
import { type JobQueue, JobQueueService, type RequestContext } from '@vendure/core';

type Work = { paymentIntentId: string };

/** If the gateway is unavailable for longer, the scheduled task tries again. */
const RETRIES = 20;

/** Orders that are to be synchronized with their payment intents by Vendure's worker. */
@Injectable()
export class SluiceQueue implements OnModuleInit {
  private queue: JobQueue<Work> | undefined;
  private process: ((paymentIntentId: string) => Promise<void>) | undefined;

  constructor(private readonly jobs: JobQueueService) {}

  async onModuleInit(): Promise<void> {
    this.queue = await this.jobs.createQueue<Work>({
      name: 'sluice-synchronize',
      process: async ({ data }) => {
        if (!this.process) throw new Error('The plugin has not been started yet.');
        await this.process(data.paymentIntentId);
      },
    });
  }

  /** The plugin sets it, because what processes the jobs adds jobs as well. */
  onWork(process: (paymentIntentId: string) => Promise<void>): void {
    this.process = process;
  }

  /** With the request context, the job is stored in its transaction where the strategy supports this. */
  async add(work: Work, ctx?: RequestContext): Promise<void> {
    await this.queue?.add(work, { retries: RETRIES, ...(ctx ? { ctx } : {}) });
  }
}
