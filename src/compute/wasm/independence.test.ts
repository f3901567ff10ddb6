import { testIndependence } from "../../../tests/compute/independence.ts";
import { createWasmDevice } from "./node.ts";

testIndependence(() => createWasmDevice({ threads: 2, shareFrom: 0 }), 15);
