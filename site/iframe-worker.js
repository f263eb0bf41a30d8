// Search runs in a worker, and browsers start none for pages opened as files: there it runs in a hidden frame.
// (The theme would load a script for this from elsewhere, unless one with this name is there.)
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.body.append(frame);
      this.frame = frame;
      frame.contentWindow.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
      this.loaded = new Promise((loaded) => {
        const script = frame.contentDocument.createElement("script");
        script.onload = loaded;
        script.src = new URL(url, location);
        frame.contentDocument.body.append(script);
      });
    }
    async postMessage(data) {
      await this.loaded;
      this.frame.contentWindow.dispatchEvent(new MessageEvent("message", { data }));
    }
    terminate() {
      this.frame.remove();
    }
  };
}
