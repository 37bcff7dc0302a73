import '/checkout/index.js';

const element = (id) => document.getElementById(id);

for (const button of document.querySelectorAll('button[data-product]')) {
  button.addEventListener('click', () => buy(button));
}

async function buy(button) {
  element('failure').textContent = '';
  const buttons = [...document.querySelectorAll('button[data-product]')];
  for (const one of buttons) one.disabled = true;
  try {
    show(await ask('/orders', { method: 'POST', body: JSON.stringify({ product: button.dataset.product }) }));
  } catch (error) {
    element('failure').textContent = error.message;
    for (const one of buttons) one.disabled = false;
  }
}

async function ask(path, request) {
  const response = await fetch(path, request).catch(() => {
    throw new Error('The shop cannot be reached. Please try again.');
  });
  const body = await response.json();
  if (!response.ok) throw new Error(body.error);
  return body;
}

function show({ orderId, paymentIntentId, ...session }) {
  const checkout = document.createElement('sluice-checkout');
  Object.assign(checkout, session);
  element('checkout').replaceChildren(checkout);
  element('command').textContent = `node docs/pay.mjs ${paymentIntentId}`;
  element('products').hidden = true;
  element('order').hidden = false;
  followOrder(orderId);
}

/** The shop's server knows whether the order is paid. */
async function followOrder(orderId) {
  for (;;) {
    const state = await ask(`/orders/${orderId}`).then(
      (order) => order.state,
      () => 'unknown',
    );
    element('state').textContent =
      state === 'PAID' ? 'Thank you! Your order is paid.' : `Order ${orderId.slice(-6)} is waiting for your payment.`;
    if (state === 'PAID') break;
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
  element('script').hidden = true;
}
