import type { IncomingMessage, ServerResponse } from 'node:http';
import { BadRequestException, Controller, HttpCode, Post, Req, ServiceUnavailableException } from '@nestjs/common';
import { Logger } from '@vendure/core';
import { SluiceGateway } from './gateway.ts';
import { LOG_CONTEXT, WEBHOOK_PATH } from './options.ts';
import { SluiceSynchronizer } from './synchronizer.ts';

type RawRequest = IncomingMessage & { body?: unknown };

/** Webhooks of the gateway have a few kilobytes. */
const LARGEST_BODY = 1024 * 1024;

/**
 * Receives the gateway's webhooks. An event is only the reason to read the payment intent again, so that it does not matter
 * whether events arrive twice, late or in another order. After a response other than 2xx, the gateway delivers the event again.
 */
@Controller(WEBHOOK_PATH)
export class SluiceWebhookController {
  constructor(
    private readonly gateway: SluiceGateway,
    private readonly synchronizer: SluiceSynchronizer,
  ) {}

  @Post()
  @HttpCode(204)
  async receive(@Req() request: RawRequest): Promise<void> {
    if (!(request.body instanceof Uint8Array)) throw new BadRequestException('The body of the webhook is missing.');
    const event = await this.gateway.verify({ body: request.body, headers: request.headers });
    if (!event) throw new BadRequestException('The signature of the webhook is not valid.');
    const id = paymentIntentOf(event);
    if (id === null) return;
    try {
      await this.synchronizer.synchronize(id);
    } catch (error) {
      Logger.error(`The event ${event.id} (${event.type}) was not handled: ${String(error)}`, LOG_CONTEXT);
      throw new ServiceUnavailableException('The event was not handled. Deliver it again.');
    }
  }
}

function paymentIntentOf({ type, data }: { type: string; data: unknown }): string | null {
  if (!type.startsWith('payment_intent.') || type === 'payment_intent.created') return null;
  const { id } = (data ?? {}) as { id?: unknown };
  return typeof id === 'string' ? id : null;
}

/** Reads the body as bytes before Vendure parses it as JSON, because the signature is of the bytes. */
export function readRawBody(request: RawRequest, response: ServerResponse, next: (error?: unknown) => void): void {
  const chunks: Uint8Array[] = [];
  let length = 0;
  request.on('data', (chunk: Uint8Array) => {
    length += chunk.length;
    if (length <= LARGEST_BODY) chunks.push(chunk);
  });
  request.on('error', next);
  request.on('end', () => {
    if (length > LARGEST_BODY) {
      response.writeHead(413).end();
      return;
    }
    request.body = Buffer.concat(chunks);
    next();
  });
}
