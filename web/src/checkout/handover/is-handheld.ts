/** Whether the browser is probably that of a phone or tablet, on which wallet apps can be installed, but hardly any extensions. */
export const isHandheld = window.matchMedia('(pointer: coarse)').matches;
