(* Exceptions through deep calls, and collections of garbage meanwhile. *)
exception Stop of int

let rec build n = if n = 0 then [] else n :: build (n - 1)

let rec deep n = if n = 0 then raise (Stop (List.length (build 1000))) else 1 + deep (n - 1)

let () =
  for i = 1 to 200 do
    (try ignore (deep i) with Stop n -> if n <> 1000 then exit 9);
    if i mod 50 = 0 then Gc.compact ()
  done;
  Printf.printf "%d\n" (List.fold_left ( + ) 0 (build 10000));
  (try ignore (List.hd []) with Failure text -> print_endline text);
  exit 5
