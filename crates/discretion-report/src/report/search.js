(() => {
  const box = document.querySelector(".search");
  const [field, said] = [box.querySelector("input"), box.querySelector("output")];
  const rows = [...document.querySelectorAll(".many tbody tr")].map((row) => [row, row.firstChild.textContent.toLowerCase()]);
  const look = () => {
    const words = field.value.toLowerCase().split(/\s+/).filter((word) => word);
    let found = 0;
    for (const [row, text] of rows) {
      row.hidden = !words.every((word) => text.includes(word));
      found += !row.hidden;
    }
    said.textContent = words.length ? `${found.toLocaleString("en")} of ${rows.length.toLocaleString("en")}` : "";
  };
  box.hidden = false;
  field.addEventListener("input", look);
  look();
})();
