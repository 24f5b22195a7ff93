/* Puts the page together. */

function start() {
  const model = JSON.parse(document.getElementById("data").textContent);
  const files = model.files.map((file) => new FileData(file, model.strings));
  const find = (id) => document.getElementById(id);
  const state = { file: files.length - 1, measure: "stored", collection: "targets" };
  const map = new Treemap(find("map"), find("trail"), find("map-info"));
  const table = new DataTable(find("table"), find("table-count"), "Rows");
  const current = () => files[state.file];

  const drawMap = () => map.show(current().root(state.measure), map.path.length ? map.names() : []);
  const reveal = (names) => {
    map.reveal(current().root(state.measure), names);
    find("map-title").scrollIntoView({ block: "nearest" });
  };
  const drawTable = () => table.show(current().table(state.collection, reveal));
  const drawFile = () => {
    find("duplicates").replaceChildren(...duplicateSection(current()));
    find("compression").replaceChildren(...compressionSection(current()));
    drawMap();
    drawTable();
  };

  find("facts").replaceChildren(...facts(files));
  const names = files.map((data) => shown(data.name));
  find("title").textContent = names.join(" \u2192 ");
  document.title = names.join(" \u2192 ") + " \u00b7 device code";
  find("footer").textContent = `offload-tool ${model.tool}`;
  choice(
    find("measure-choice"),
    [
      ["stored", "In the file"],
      ["decoded", "Decoded"],
    ],
    state.measure,
    (measure) => {
      state.measure = measure;
      drawMap();
    },
  );
  choice(
    find("table-choice"),
    [
      ["targets", "Targets"],
      ["images", "Images"],
      ["kernels", "Kernels"],
    ],
    state.collection,
    (collection) => {
      state.collection = collection;
      drawTable();
    },
  );
  if (files.length > 1) {
    find("kind").textContent = "Device code, two files compared";
    find("file-choice").hidden = false;
    choice(
      find("file-choice"),
      [
        [0, `Before: ${names[0]}`],
        [1, `After: ${names[1]}`],
      ],
      state.file,
      (file) => {
        state.file = file;
        drawFile();
      },
    );
    find("comparison").hidden = false;
    find("comparison-body").replaceChildren(...comparisonSection(model.comparison, files[0], files[1]));
  }
  // Filtering looks at every row, so it waits until the reader stops typing for a moment.
  let waiting = 0;
  find("filter").addEventListener("input", (event) => {
    clearTimeout(waiting);
    waiting = setTimeout(() => table.filter(event.target.value), 80);
  });
  drawFile();
}

start();
