/** Delivers the changes of one site to a webhook, through the outbox of the site. */
import { WEBHOOK } from "../outbox/outbox.ts";
import { OutboxDelivery, type OutboxDeliveryOptions } from "../outbox/outbox-delivery.ts";
import { OutboxSender, type SenderOptions } from "./send-outbox.ts";

type WebhookOptions = SenderOptions & Pick<OutboxDeliveryOptions, "snapshot" | "site" | "maxBytes">;

export function deliverToWebhook(options: WebhookOptions): OutboxDelivery {
  const { snapshot, site, maxBytes } = options;
  return new OutboxDelivery({
    snapshot,
    site,
    ...(maxBytes !== undefined && { maxBytes }),
    receiver: WEBHOOK,
    createSender: (outbox) => new OutboxSender(outbox, options),
    onLoss: (error) => options.onProblem(error, 0),
  });
}
