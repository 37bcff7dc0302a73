/** The style of the element. It is adopted as a sheet, which a page's `style-src` allows without `'unsafe-inline'`. */
const css = `
:host { display: block; }
:host([hidden]), :host([mode="modal"]) { display: none; }
:host([mode="modal"][open]) { display: contents; }
iframe { display: block; width: 100%; height: 420px; border: 0; color-scheme: normal; }
iframe[hidden] { display: none; }
.notice { margin: 0; padding: 16px; font: 15px/1.5 system-ui, sans-serif; color: #14181f; background: #f6f7f9; }
.notice a { color: #2448be; }
dialog {
  box-sizing: border-box; width: min(520px, 100vw - 24px); max-width: none; max-height: calc(100dvh - 24px);
  padding: 0; border: 0; border-radius: 14px; overflow: auto; overscroll-behavior: contain;
  background: #f6f7f9; color: #14181f; box-shadow: 0 16px 48px rgb(16 20 27 / 30%);
}
dialog::backdrop { background: rgb(16 20 27 / 55%); }
.bar { display: flex; justify-content: flex-end; position: sticky; top: 0; z-index: 1; background: inherit; }
.close {
  display: grid; place-items: center; width: 44px; height: 44px; padding: 0; border: 0; border-radius: 14px;
  background: transparent; color: inherit; font: 24px/1 system-ui, sans-serif; cursor: pointer;
}
.close:hover { background: rgb(128 138 153 / 20%); }
.close:focus-visible { outline: 2px solid currentColor; outline-offset: -6px; }
dialog.dark { background: #0f1216; color: #edf0f4; }
@media (prefers-color-scheme: dark) { dialog.auto { background: #0f1216; color: #edf0f4; } }
@media (max-width: 520px) {
  dialog { width: 100vw; height: 100dvh; max-height: none; margin: 0; border-radius: 0; }
}
`;

let sheet: CSSStyleSheet | undefined;

export function styleSheet(): CSSStyleSheet {
  if (!sheet) {
    sheet = new CSSStyleSheet();
    sheet.replaceSync(css);
  }
  return sheet;
}
