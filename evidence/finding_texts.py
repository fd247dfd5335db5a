# ruff: noqa: E501  (a sentence stays on one line, so that it can be found)
"""The words of every finding in Spanish and English: what it means, how to mend it, what its phrases say."""

from typing import NamedTuple


class Text(NamedTuple):
    """Each as (Spanish, English). `mend` may name {package}, {member}, {pattern}, {expected} and {found}."""

    meaning: tuple[str, str]
    mend: tuple[str, str]


_REZIP = (
    "Vuelva a comprimir la carpeta con una herramienta corriente, por ejemplo: zip -r {package} CARPETA",
    "Zip the folder again with a common tool, for example: zip -r {package} FOLDER",
)
_DAMAGED = (
    "El archivo se dañó al escribirlo o al transferirlo: hágalo de nuevo desde la carpeta original y compruébelo con «unzip -t {package}» antes de subirlo.",
    "The file was damaged when it was written or transferred: make it again from the original folder and test it with “unzip -t {package}” before uploading it.",
)
_RENAME = (
    "Cambie el nombre en la carpeta original, rehaga el manifiesto y vuelva a comprimir.",
    "Rename it in the original folder, make the manifest anew and zip again.",
)
_SPLIT = (
    "Reparta la evidencia en paquetes más pequeños o deje fuera lo que no sea evidencia.",
    "Spread the evidence over smaller packages, or leave out what is not evidence.",
)
_SEE_LINE = (
    "Corrija el valor en {member}, rehaga el manifiesto y vuelva a comprimir.",
    "Correct the value in {member}, make the manifest anew and zip again.",
)
_SEE_DESCRIPTOR = (
    "Corrija data/evaluation.json, rehaga el manifiesto y vuelva a comprimir.",
    "Correct data/evaluation.json, make the manifest anew and zip again.",
)

TEXTS: dict[str, Text] = {
    # ── archive: the frame ───────────────────────────────────────────────────
    "NOT_A_ZIP": Text(
        ("El archivo no es un ZIP.", "The file is not a ZIP."),
        (
            "Suba el paquete de evidencia comprimido en ZIP (no tar, 7z ni RAR): zip -r paquete.zip CARPETA",
            "Upload the evidence package as a ZIP (not tar, 7z or RAR): zip -r package.zip FOLDER",
        ),
    ),
    "TRUNCATED": Text(
        ("El ZIP está incompleto: le falta una parte.", "The ZIP is incomplete: part of it is missing."),
        (
            "La copia o la transferencia se cortó. Compare el tamaño y el SHA-256 con los del original y súbalo de nuevo.",
            "The copy or transfer was cut short. Compare size and SHA-256 with the original and upload it again.",
        ),
    ),
    "EMPTY_ARCHIVE": Text(
        ("El ZIP no contiene ningún archivo.", "The ZIP contains no file."),
        (
            "Comprima la carpeta de la bolsa con su contenido: zip -r {package} CARPETA",
            "Zip the folder of the bag with its contents: zip -r {package} FOLDER",
        ),
    ),
    "MULTI_DISK": Text(
        ("El ZIP está dividido en varios volúmenes.", "The ZIP is split over several volumes."),
        (
            "Únalo en un solo archivo: zip -s 0 {package} --out entero.zip",
            "Join it into a single file: zip -s 0 {package} --out whole.zip",
        ),
    ),
    "ENTRY_COUNT_MISMATCH": Text(
        (
            "El registro final del ZIP anuncia otro número de entradas que las que tiene el directorio.",
            "The end record of the ZIP announces another number of entries than its directory has.",
        ),
        _REZIP,
    ),
    "ZIP64_INVALID": Text(
        (
            "Los campos ZIP64 se contradicen o están incompletos.",
            "The ZIP64 fields contradict each other or are incomplete.",
        ),
        _REZIP,
    ),
    # ── archive: unaccounted bytes ───────────────────────────────────────────
    "PREPENDED_DATA": Text(
        (
            "Hay datos delante del primer miembro del ZIP.",
            "There is data before the first member of the ZIP.",
        ),
        (
            "Quite lo que precede al ZIP (por ejemplo, un autoextraíble) y vuelva a comprimir: zip -r {package} CARPETA",
            "Remove what precedes the ZIP (a self-extractor, say) and zip again: zip -r {package} FOLDER",
        ),
    ),
    "TRAILING_DATA": Text(
        ("Hay datos después del final del ZIP.", "There is data after the end of the ZIP."),
        (
            "El ZIP termina en el byte {expected}. Vuelva a comprimir la carpeta y no agregue nada al final.",
            "The ZIP ends at byte {expected}. Zip the folder again and append nothing to it.",
        ),
    ),
    "ARCHIVE_COMMENT": Text(
        (
            "El ZIP lleva un comentario; los comentarios no se admiten.",
            "The ZIP carries a comment; comments are not allowed.",
        ),
        (
            "Quite el comentario del archivo con «zip -z {package} < /dev/null»; si el comentario es de un miembro, vuelva a comprimir la carpeta.",
            "Remove the archive comment with “zip -z {package} < /dev/null”; if a member carries it, zip the folder again.",
        ),
    ),
    "HIDDEN_DATA": Text(
        (
            "El ZIP contiene bytes que su directorio no menciona.",
            "The ZIP contains bytes that its directory does not mention.",
        ),
        _REZIP,
    ),
    "OVERLAP": Text(
        ("Dos partes del ZIP ocupan los mismos bytes.", "Two parts of the ZIP occupy the same bytes."),
        _REZIP,
    ),
    # ── archive: two readings ────────────────────────────────────────────────
    "LOCAL_HEADER_MISMATCH": Text(
        (
            "La cabecera del miembro y el directorio del ZIP dicen cosas distintas.",
            "The member's own header and the directory of the ZIP say different things.",
        ),
        _REZIP,
    ),
    "EXTRA_FIELD_MALFORMED": Text(
        ("Un campo adicional del ZIP está mal formado.", "An extra field of the ZIP is malformed."),
        (
            "Vuelva a comprimir sin campos adicionales: zip -X -r {package} CARPETA",
            "Zip again without extra fields: zip -X -r {package} FOLDER",
        ),
    ),
    "DATA_DESCRIPTOR_MISMATCH": Text(
        (
            "El descriptor que sigue a los datos del miembro no coincide con el directorio.",
            "The descriptor that follows the member's data does not agree with the directory.",
        ),
        _REZIP,
    ),
    "UNICODE_PATH_CONFLICT": Text(
        (
            "El miembro lleva un segundo nombre (Unicode Path) que no coincide con el primero.",
            "The member carries a second name (Unicode Path) that does not agree with the first.",
        ),
        (
            "Comprima en un sistema con nombres en UTF-8 y sin campos adicionales: LC_ALL=C.UTF-8 zip -X -r {package} CARPETA",
            "Zip on a system with UTF-8 names and without extra fields: LC_ALL=C.UTF-8 zip -X -r {package} FOLDER",
        ),
    ),
    # ── archive: content ─────────────────────────────────────────────────────
    "SIZE_MISMATCH": Text(
        (
            "El tamaño real del miembro no es el que anuncia el directorio.",
            "The member's real size is not the one that the directory announces.",
        ),
        _DAMAGED,
    ),
    "CRC_MISMATCH": Text(
        ("La suma CRC-32 del contenido no coincide.", "The CRC-32 of the content does not agree."),
        _DAMAGED,
    ),
    "DEFLATE_CORRUPT": Text(
        ("Los datos comprimidos del miembro están dañados.", "The member's compressed data is damaged."),
        _DAMAGED,
    ),
    "DEFLATE_TRAILING": Text(
        (
            "Quedan bytes después del final de los datos comprimidos del miembro.",
            "Bytes are left after the end of the member's compressed data.",
        ),
        _REZIP,
    ),
    # ── archive: names ───────────────────────────────────────────────────────
    "DUPLICATE_NAME": Text(
        ("Dos entradas del ZIP tienen el mismo nombre.", "Two entries of the ZIP have the same name."),
        (
            "Comprima en un archivo nuevo, sin agregar a uno existente: rm {package} && zip -r {package} CARPETA",
            "Zip into a new file instead of adding to an existing one: rm {package} && zip -r {package} FOLDER",
        ),
    ),
    "NAME_COLLISION": Text(
        (
            "Dos nombres son iguales para algunos sistemas: difieren solo en mayúsculas o en la forma Unicode, o uno es a la vez archivo y carpeta.",
            "Two names are the same on some systems: they differ only in case or Unicode form, or one is both a file and a folder.",
        ),
        _RENAME,
    ),
    "UNSAFE_NAME": Text(
        (
            "El nombre podría escribir fuera de la carpeta, engañar a quien lo lee o fallar en otro sistema.",
            "The name could write outside its folder, mislead its reader or fail on another system.",
        ),
        _RENAME,
    ),
    "NAME_TOO_LONG": Text(
        (
            "El nombre es demasiado largo o tiene demasiadas carpetas.",
            "The name is too long or has too many folders.",
        ),
        (
            "Acorte el nombre o suba los archivos de nivel, rehaga el manifiesto y vuelva a comprimir.",
            "Shorten the name or move the files up, make the manifest anew and zip again.",
        ),
    ),
    "NAME_ENCODING": Text(
        ("El nombre no está escrito en UTF-8.", "The name is not written in UTF-8."),
        (
            "Comprima en un sistema con nombres en UTF-8 (LC_ALL=C.UTF-8 zip -r {package} CARPETA) o use nombres sin tildes ni eñes.",
            "Zip on a system with UTF-8 names (LC_ALL=C.UTF-8 zip -r {package} FOLDER), or use names in plain ASCII.",
        ),
    ),
    "JUNK_MEMBER": Text(
        (
            "El ZIP incluye un archivo que el sistema operativo deja en las carpetas y que no es evidencia.",
            "The ZIP includes a file that an operating system leaves in folders and that is not evidence.",
        ),
        (
            "zip -d {package} {pattern}",
            "zip -d {package} {pattern}",
        ),
    ),
    # ── archive: kinds of entry ──────────────────────────────────────────────
    "NOT_REGULAR_FILE": Text(
        (
            "La entrada no es un archivo corriente: es un enlace, un dispositivo o algo similar.",
            "The entry is not a regular file but a link, a device or the like.",
        ),
        (
            "Ponga en su lugar el archivo mismo (cp -L sigue los enlaces), rehaga el manifiesto y vuelva a comprimir.",
            "Put the file itself in its place (cp -L follows links), make the manifest anew and zip again.",
        ),
    ),
    "DIRECTORY_WITH_DATA": Text(
        ("Una carpeta del ZIP lleva datos.", "A folder of the ZIP carries data."),
        _REZIP,
    ),
    "ENCRYPTED": Text(
        ("El miembro está cifrado.", "The member is encrypted."),
        (
            "Comprima sin contraseña. Lo que deba quedar reservado se declara en «sealed» de data/evaluation.json.",
            "Zip without a password. What must stay private is declared under “sealed” in data/evaluation.json.",
        ),
    ),
    "METHOD_UNSUPPORTED": Text(
        (
            "El método de compresión no se admite: solo «stored» y «deflate».",
            "The compression method is not supported: only stored and deflate are.",
        ),
        (
            "Comprima con deflate: zip -r {package} CARPETA, o 7z a -tzip -mm=Deflate {package} CARPETA",
            "Compress with deflate: zip -r {package} FOLDER, or 7z a -tzip -mm=Deflate {package} FOLDER",
        ),
    ),
    # ── archive: limits ──────────────────────────────────────────────────────
    "RATIO_LIMIT": Text(
        (
            "El contenido se expande demasiado respecto de lo comprimido.",
            "The content expands too much for what is compressed.",
        ),
        (
            "Quite los archivos de relleno o repetitivos; si son evidencia, guárdelos sin comprimir: zip -0 -r {package} CARPETA",
            "Leave out padding or repetitive files; if they are evidence, store them: zip -0 -r {package} FOLDER",
        ),
    ),
    "MEMBER_LIMIT": Text(
        ("El ZIP tiene demasiados miembros.", "The ZIP has too many members."),
        (
            "Junte los registros en pocos archivos JSON Lines, o reparta la evidencia en varios paquetes (máximo: {expected} miembros).",
            "Put the records into a few JSON Lines files, or spread the evidence over several packages (at most {expected} members).",
        ),
    ),
    "SIZE_LIMIT": Text(
        ("El contenido supera el tamaño que se admite.", "The content exceeds the size that is accepted."),
        _SPLIT,
    ),
    "DIRECTORY_LIMIT": Text(
        ("El directorio del ZIP es demasiado grande.", "The directory of the ZIP is too large."),
        (
            "Comprima sin campos adicionales (zip -X -r {package} CARPETA) o con menos archivos.",
            "Zip without extra fields (zip -X -r {package} FOLDER), or with fewer files.",
        ),
    ),
    # ── bag ──────────────────────────────────────────────────────────────────
    "BAG_DECLARATION": Text(
        (
            "Falta bagit.txt o no declara BagIt 1.0 (o 0.97) en UTF-8.",
            "bagit.txt is missing, or does not declare BagIt 1.0 (or 0.97) in UTF-8.",
        ),
        (
            "bagit.txt tiene dos líneas: «BagIt-Version: 1.0» y «Tag-File-Character-Encoding: UTF-8». Lo escribe bagit.py --sha256 CARPETA. Debe estar en la raíz del ZIP o de su única carpeta.",
            "bagit.txt has two lines: “BagIt-Version: 1.0” and “Tag-File-Character-Encoding: UTF-8”. bagit.py --sha256 FOLDER writes it. It stands at the root of the ZIP, or of its only folder.",
        ),
    ),
    "MANIFEST_MISSING": Text(
        ("Falta manifest-sha256.txt.", "manifest-sha256.txt is missing."),
        (
            "Hágalo con bagit.py --sha256 CARPETA, o dentro de la carpeta: find data -type f -exec sha256sum {{}} + > manifest-sha256.txt",
            "Make it with bagit.py --sha256 FOLDER, or inside the folder: find data -type f -exec sha256sum {{}} + > manifest-sha256.txt",
        ),
    ),
    "MANIFEST_SYNTAX": Text(
        (
            "Una línea del manifiesto no se entiende o nombra lo que no debe.",
            "A line of the manifest cannot be understood, or names what it should not.",
        ),
        (
            "Cada línea es un SHA-256 en hexadecimal, dos espacios y una ruta, en UTF-8; el manifiesto nombra una sola vez cada archivo de data/. Rehágalo con bagit.py --sha256 CARPETA.",
            "Each line is a SHA-256 in hexadecimal, two spaces and a path, in UTF-8; the manifest names each file of data/ once. Make it anew with bagit.py --sha256 FOLDER.",
        ),
    ),
    "MISSING_MEMBER": Text(
        ("El manifiesto nombra un archivo que no está.", "The manifest names a file that is not there."),
        (
            "Agregue {member} al ZIP, o quite su línea del manifiesto si no es evidencia. La ruta debe coincidir también en mayúsculas y minúsculas.",
            "Add {member} to the ZIP, or remove its line from the manifest if it is not evidence. The path must agree in upper and lower case too.",
        ),
    ),
    "EXTRA_MEMBER": Text(
        (
            "El archivo está en data/, pero no en el manifiesto.",
            "The file is in data/ but not in the manifest.",
        ),
        (
            "Rehaga el manifiesto para que incluya {member}, o quite el archivo del ZIP.",
            "Make the manifest anew so that it includes {member}, or remove the file from the ZIP.",
        ),
    ),
    "DIGEST_MISMATCH": Text(
        (
            "El contenido del archivo no es el que dice el manifiesto: cambió después de hacerse la bolsa.",
            "The content of the file is not what the manifest says: it changed after the bag was made.",
        ),
        (
            "Restituya el archivo original; si el cambio es querido, rehaga el manifiesto (bagit.py --sha256 CARPETA) y vuelva a comprimir.",
            "Put the original file back; if the change is meant, make the manifest anew (bagit.py --sha256 FOLDER) and zip again.",
        ),
    ),
    "OXUM_MISMATCH": Text(
        (
            "Payload-Oxum de bag-info.txt no coincide con los archivos de data/.",
            "Payload-Oxum in bag-info.txt does not agree with the files in data/.",
        ),
        (
            "Escriba «Payload-Oxum: {expected}» en bag-info.txt y rehaga tagmanifest-sha256.txt, o quite esa línea.",
            "Write “Payload-Oxum: {expected}” in bag-info.txt and make tagmanifest-sha256.txt anew, or remove that line.",
        ),
    ),
    "FETCH_NOT_ALLOWED": Text(
        (
            "La bolsa pide bajar archivos de otra parte (fetch.txt); el paquete debe traerlos todos.",
            "The bag asks for files from elsewhere (fetch.txt); the package must bring all of them.",
        ),
        (
            "Baje los archivos, póngalos en data/, quite fetch.txt y vuelva a comprimir.",
            "Fetch the files, put them in data/, remove fetch.txt and zip again.",
        ),
    ),
    "TAG_FILE_NOT_ALLOWED": Text(
        (
            "Fuera de data/ solo se admiten los archivos propios de la bolsa, ro-crate-metadata.json, README y LICENSE.",
            "Outside data/ only the bag's own files, ro-crate-metadata.json, README and LICENSE are allowed.",
        ),
        (
            "Mueva {member} a data/attachments/ y rehaga el manifiesto, o quítelo del ZIP.",
            "Move {member} to data/attachments/ and make the manifest anew, or remove it from the ZIP.",
        ),
    ),
    "DIGEST_DECLARED_MISMATCH": Text(
        (
            "El SHA-256 del archivo recibido no es el que se declaró al subirlo.",
            "The SHA-256 of the file received is not the one that was declared with the upload.",
        ),
        (
            "Calcule el SHA-256 del archivo que quiere subir (sha256sum {package}) y súbalo de nuevo con ese valor.",
            "Compute the SHA-256 of the file you mean to upload (sha256sum {package}) and upload it again with that value.",
        ),
    ),
    # ── package: descriptor and records ──────────────────────────────────────
    "DESCRIPTOR_MISSING": Text(
        ("Falta data/evaluation.json.", "data/evaluation.json is missing."),
        (
            "Agregue data/evaluation.json con el formato, el método, el esquema, el sistema y la fecha de medición; rehaga el manifiesto.",
            "Add data/evaluation.json with format, method, scheme, system and date of measurement; make the manifest anew.",
        ),
    ),
    "FORMAT_UNSUPPORTED": Text(
        ("El formato del paquete no se conoce.", "The format of the package is not known."),
        (
            'Escriba "format": "evaluation-package/1" en data/evaluation.json.',
            'Write "format": "evaluation-package/1" in data/evaluation.json.',
        ),
    ),
    "METHOD_UNKNOWN": Text(
        ("El método de evaluación no se conoce.", "The method of evaluation is not known."),
        _SEE_DESCRIPTOR,
    ),
    "SCHEME_UNKNOWN": Text(
        (
            "Este registro no conoce ese esquema en esa versión.",
            "This registry does not know that scheme in that version.",
        ),
        (
            'Use un esquema publicado y su versión exacta, por ejemplo {{"code": "HALU", "version": "1"}}.',
            'Use a published scheme and its exact version, for example {{"code": "HALU", "version": "1"}}.',
        ),
    ),
    "VERSION_FLOATING": Text(
        (
            "La versión del sistema no está fijada: ese nombre puede designar mañana otra cosa.",
            "The version of the system is not pinned: that name may mean something else tomorrow.",
        ),
        (
            "Escriba la versión exacta que se evaluó, por ejemplo «2026.07.1»; no «latest», «stable» ni «main».",
            "Write the exact version that was evaluated, “2026.07.1” for example; not “latest”, “stable” or “main”.",
        ),
    ),
    "JUDGE_SAME_FAMILY": Text(
        (
            "El juez, o quien escribió las preguntas, es de la misma familia de modelos que el sistema evaluado.",
            "The judge, or the writer of the questions, is of the same model family as the evaluated system.",
        ),
        (
            "Repita los juicios con un modelo de otra familia o con personas; una corrección del texto no basta.",
            "Judge again with a model of another family or with people; correcting the text is not enough.",
        ),
    ),
    "RECORDS_MISSING": Text(
        ("Falta un archivo de registros del método.", "A record file of the method is missing."),
        (
            "Agregue {member} con al menos un registro y rehaga el manifiesto.",
            "Add {member} with at least one record and make the manifest anew.",
        ),
    ),
    "UNEXPECTED_FILE": Text(
        ("El método no prevé ese archivo en data/.", "The method does not provide for that file in data/."),
        (
            "Mueva {member} a data/attachments/ o corrija su nombre, y rehaga el manifiesto.",
            "Move {member} to data/attachments/ or correct its name, and make the manifest anew.",
        ),
    ),
    "INVALID_UTF8": Text(
        ("El texto no está en UTF-8.", "The text is not in UTF-8."),
        (
            "Convierta el archivo, por ejemplo: iconv -f LATIN1 -t UTF-8 ARCHIVO > NUEVO; rehaga el manifiesto.",
            "Convert the file, for example: iconv -f LATIN1 -t UTF-8 FILE > NEW; make the manifest anew.",
        ),
    ),
    "INVALID_JSON": Text(
        ("El texto no es JSON.", "The text is not JSON."),
        (
            "Cada línea de un archivo .jsonl es un objeto JSON completo, sin NaN ni Infinity. «jq -c . ARCHIVO» muestra el primer error.",
            "Each line of a .jsonl file is one complete JSON object, without NaN or Infinity. “jq -c . FILE” shows the first error.",
        ),
    ),
    "UNKNOWN_KEY": Text(
        (
            "Esa clave no existe en el formato; podría ser un error de escritura.",
            "That key is not in the format; it may be a typing error.",
        ),
        (
            "Corrija o quite la clave; lo que quiera agregar va en data/attachments/. Rehaga el manifiesto.",
            "Correct or remove the key; what you want to add goes into data/attachments/. Make the manifest anew.",
        ),
    ),
    "MISSING_KEY": Text(
        ("Falta una clave obligatoria.", "A required key is missing."),
        (
            "Agregue la clave en {member}, rehaga el manifiesto y vuelva a comprimir.",
            "Add the key in {member}, make the manifest anew and zip again.",
        ),
    ),
    "WRONG_TYPE": Text(("El valor es de otro tipo.", "The value is of another type."), _SEE_LINE),
    "VALUE_NOT_ALLOWED": Text(
        ("El valor no está entre los que se admiten.", "The value is not among those allowed."), _SEE_LINE
    ),
    "LINE_TOO_LONG": Text(
        ("La línea es demasiado larga.", "The line is too long."),
        (
            "Ponga un registro por línea, y los textos muy largos en data/attachments/.",
            "Put one record on each line, and very long texts into data/attachments/.",
        ),
    ),
    "RECORD_DEPTH": Text(
        ("El registro está anidado con demasiada profundidad.", "The record is nested too deeply."), _SEE_LINE
    ),
    "RECORD_TEXT": Text(
        (
            "El texto contiene U+0000 o un sustituto Unicode sin pareja.",
            "The text contains U+0000 or an unpaired Unicode surrogate.",
        ),
        _SEE_LINE,
    ),
    "UNSAFE_TEXT": Text(
        (
            "Un nombre contiene caracteres de control o de dirección del texto.",
            "A name contains control or text-direction characters.",
        ),
        _SEE_LINE,
    ),
    "DUPLICATE_KEY": Text(
        ("El objeto tiene dos veces la misma clave.", "The object has the same key twice."), _SEE_LINE
    ),
    "DUPLICATE_ID": Text(
        ("El mismo registro aparece dos veces.", "The same record appears twice."),
        (
            "Deje un solo registro por identificador (y por ejecución o juez), rehaga el manifiesto y vuelva a comprimir.",
            "Keep one record for each id (and each run or judge), make the manifest anew and zip again.",
        ),
    ),
    "UNKNOWN_REFERENCE": Text(
        ("El registro se refiere a algo que no está.", "The record refers to something that is not there."),
        (
            "Corrija la referencia en {member} o agregue aquello a lo que se refiere; rehaga el manifiesto.",
            "Correct the reference in {member}, or add what it refers to; make the manifest anew.",
        ),
    ),
    "RESPONSE_MISSING": Text(
        ("La pregunta no tiene respuesta registrada.", "The question has no recorded response."),
        (
            "Agregue la respuesta a data/responses.jsonl; una llamada que falló se registra con «invalid: true» y respuesta vacía.",
            "Add the response to data/responses.jsonl; a failed call is recorded with “invalid: true” and an empty answer.",
        ),
    ),
    "SET_HASH_MISMATCH": Text(
        (
            "El SHA-256 declarado del conjunto de preguntas no es el que se calcula de data/items.jsonl.",
            "The declared SHA-256 of the question set is not the one computed from data/items.jsonl.",
        ),
        (
            "Compruebe que es el conjunto de preguntas que quería usar; si lo es, declare {found}.",
            "Check that this is the question set you meant to use; if it is, declare {found}.",
        ),
    ),
    "FIGURE_IMPOSSIBLE": Text(
        ("La cifra declarada no puede existir.", "The declared figure cannot exist."),
        (
            "Declare fracciones de 1 como texto decimal («0.2733», no «27.33») y una métrica con un denominador que exista.",
            "Declare fractions of 1 as decimal strings (“0.2733”, not “27.33”) and a metric with a denominator that exists.",
        ),
    ),
    # ── package: an agent run ────────────────────────────────────────────────
    "ASSIGNMENT_DIFFERS": Text(
        (
            "El SHA-256 declarado del encargo no es el que se calcula de su texto.",
            "The declared SHA-256 of the assignment is not the one computed from its text.",
        ),
        (
            "Copie en data/run.json el encargo tal como se entregó, letra por letra, con el dominio de inicio; si el texto es el correcto, declare {found}. Rehaga el manifiesto.",
            "Copy the assignment into data/run.json exactly as it was handed over, with the start domain; if the text is right, declare {found}. Make the manifest anew.",
        ),
    ),
    "FORBIDDEN_HEADER": Text(
        (
            "El registro de peticiones trae una cabecera que no puede estar en un paquete: cookies, credenciales, claves o la dirección de quien pidió.",
            "The trace has a header that no package may hold: cookies, credentials, tokens or the address of whoever asked.",
        ),
        (
            "Quite la cabecera de «request_headers» en {member} (el par entero, nombre y valor) y rehaga el manifiesto. Si la clave o la sesión siguen vigentes, anúlelas.",
            "Remove the header from “request_headers” in {member} (the whole pair, name and value) and make the manifest anew. If the token or session is still valid, revoke it.",
        ),
    ),
    "BODY_DIFFERS": Text(
        (
            "El cuerpo guardado de una respuesta no es el que nombra el registro de peticiones.",
            "The stored body of a response is not the one that the trace names.",
        ),
        (
            "Ponga en data/bodies/ el archivo con el SHA-256 y el tamaño de data/trace.jsonl, o deje fuera toda la carpeta; rehaga el manifiesto.",
            "Put the file with the SHA-256 and size of data/trace.jsonl into data/bodies/, or leave the whole folder out; make the manifest anew.",
        ),
    ),
    "MARK_DIFFERS": Text(
        (
            "Una marca no coincide con la que la rúbrica da a este registro de peticiones.",
            "A mark does not agree with the one that the rubric gives to this trace.",
        ),
        (
            "Califique de nuevo con data/rubric.json: lo que decide el código solo lo cambia un evaluador, con su motivo en «note», y toda marca se apoya en peticiones anteriores al corte. Rehaga data/marks.jsonl y el manifiesto.",
            "Grade again with data/rubric.json: what code decides is changed by an evaluator alone, with the reason in “note”, and every mark rests on requests before the cut. Make data/marks.jsonl and the manifest anew.",
        ),
    ),
    # ── warnings ─────────────────────────────────────────────────────────────
    "BAG_VERSION_OLD": Text(
        (
            "La bolsa está escrita según BagIt 0.97; se admite.",
            "The bag is written to BagIt 0.97; it is accepted.",
        ),
        (
            "No hace falta nada. La versión vigente es BagIt 1.0 (RFC 8493).",
            "Nothing is needed. The present version is BagIt 1.0 (RFC 8493).",
        ),
    ),
    "ALGORITHM_IGNORED": Text(
        (
            "El manifiesto de otro algoritmo no se tuvo en cuenta: solo se comprueba SHA-256.",
            "The manifest of another algorithm was ignored: only SHA-256 is checked.",
        ),
        (
            "No hace falta nada. Con bagit.py --sha256 se escribe solo el manifiesto que se comprueba.",
            "Nothing is needed. bagit.py --sha256 writes only the manifest that is checked.",
        ),
    ),
    "EQUAL_ITEMS": Text(
        (
            "Hay preguntas iguales con identificadores distintos; cada una cuenta.",
            "There are equal questions under different ids; each of them counts.",
        ),
        (
            "Si es un descuido, deje una sola de cada una y repita la medición.",
            "If this is an oversight, keep one of each and measure again.",
        ),
    ),
    "VERDICT_IGNORED": Text(
        (
            "Hay veredictos sobre abstenciones o sobre preguntas hostiles; no se usan.",
            "There are verdicts on abstentions or on hostile questions; they are not used.",
        ),
        (
            "No hace falta nada: estos casos se deciden por reglas, no por el juez.",
            "Nothing is needed: these cases are decided by rules, not by the judge.",
        ),
    ),
    "QUESTION_NAMES_ARTICLE": Text(
        (
            "Hay preguntas factuales que nombran el artículo esperado; se indica la primera.",
            "There are factual questions that name the expected article; the first is named.",
        ),
        (
            "Redacte la pregunta sin el número del artículo y repita la medición.",
            "Word the question without the number of the article and measure again.",
        ),
    ),
    "REFERENCE_MISSING": Text(
        (
            "Hay preguntas factuales sin texto de referencia o sin su fuente; se indica la primera.",
            "There are factual questions without reference text or its source; the first is named.",
        ),
        (
            "Agregue «reference_text» y «reference_source»: sin ellos nadie puede revisar el veredicto.",
            "Add “reference_text” and “reference_source”: without them nobody can check the verdict.",
        ),
    ),
    "TRAP_ARTICLE_EXISTS": Text(
        (
            "Hay preguntas trampa cuyo artículo figura en el catálogo; se indica la primera.",
            "There are trap questions whose article is in the catalogue; the first is named.",
        ),
        (
            "Una trampa nombra un artículo que no existe: cambie el artículo o corrija el catálogo.",
            "A trap names an article that does not exist: change the article or correct the catalogue.",
        ),
    ),
    "HOSTILE_CATEGORY_MISSING": Text(
        (
            "El conjunto no tiene preguntas hostiles.",
            "The set has no hostile questions.",
        ),
        (
            "Agregue preguntas de alguna de estas categorías: {expected}.",
            "Add questions of some of these categories: {expected}.",
        ),
    ),
    "JUDGE_VERSION_FLOATING": Text(
        (
            "La versión del juez no está fijada; la medición no se podrá repetir tal cual.",
            "The version of the judge is not pinned; the measurement cannot be repeated as it was.",
        ),
        (
            "Declare en «judges» la versión exacta del modelo que juzgó.",
            "Declare the exact version of the judging model under “judges”.",
        ),
    ),
}

# A mend that depends on what was found or where: (code, phrase or key).
VARIANTS: dict[tuple[str, str | None], Text] = {
    ("TRAILING_DATA", "zeros"): Text(
        TEXTS["TRAILING_DATA"].meaning,
        (
            "Es relleno de ceros: bsdtar rellena hasta el bloque lo que escribe en una tubería. Corte el archivo en su final (truncate -s {expected} {package}) o dé a bsdtar un nombre de archivo: bsdtar -a -cf {package} CARPETA",
            "It is padding with zeros: bsdtar pads to a whole block what it writes to a pipe. Cut the file at its end (truncate -s {expected} {package}), or give bsdtar a file name: bsdtar -a -cf {package} FOLDER",
        ),
    ),
    ("NAME_TOO_LONG", "bytes"): Text(
        TEXTS["NAME_TOO_LONG"].meaning,
        (
            "Acorte el nombre: con sus carpetas puede tener hasta {expected} bytes. Rehaga el manifiesto y vuelva a comprimir.",
            "Shorten the name: with its folders it may have up to {expected} bytes. Make the manifest anew and zip again.",
        ),
    ),
    ("NAME_TOO_LONG", "depth"): Text(
        TEXTS["NAME_TOO_LONG"].meaning,
        (
            "Suba los archivos de nivel: una ruta puede tener hasta {expected} partes. Rehaga el manifiesto y vuelva a comprimir.",
            "Move the files up: a path may have up to {expected} parts. Make the manifest anew and zip again.",
        ),
    ),
    ("NOT_REGULAR_FILE", "folder_without_slash"): Text(
        TEXTS["NOT_REGULAR_FILE"].meaning,
        _REZIP,
    ),
}

PHRASES: dict[str, tuple[str, str]] = {
    "zeros": ("relleno de ceros", "padding with zeros"),
    "no_end_record": ("sin registro final", "no end record"),
    "end_of_stream": ("fin de los datos comprimidos", "end of the compressed data"),
    "stream_cut": ("datos comprimidos cortados", "compressed data cut short"),
    "stream_damaged": ("datos comprimidos dañados", "damaged compressed data"),
    "longer": ("más de lo anunciado", "more than announced"),
    "zip64_record": ("registro ZIP64", "ZIP64 record"),
    "absent": ("ausente", "absent"),
    "none": ("ninguno", "none"),
    "file_and_folder": ("archivo y carpeta con el mismo nombre", "a file and a folder of one name"),
    "device": ("dispositivo, tubería o conector", "device, pipe or socket"),
    "folder_without_slash": (
        "carpeta cuyo nombre no termina en «/»",
        "folder whose name does not end in “/”",
    ),
    "symlink": ("enlace simbólico", "symbolic link"),
    "regular_file": ("archivo corriente", "regular file"),
    "empty_name": ("nombre vacío", "empty name"),
    "parent_step": ("«..» en la ruta", "“..” in the path"),
    "dot_step": ("«.» en la ruta", "“.” in the path"),
    "empty_step": ("«//» en la ruta", "“//” in the path"),
    "absolute": ("ruta absoluta", "absolute path"),
    "drive_or_stream": ("«:» en la ruta", "“:” in the path"),
    "backslash": ("barra invertida", "backslash"),
    "percent": ("signo «%»", "“%” sign"),
    "control_character": ("carácter de control", "control character"),
    "bidi_control": (
        "carácter que cambia la dirección del texto",
        "character that changes the direction of text",
    ),
    "trailing_dot_or_space": ("punto o espacio al final", "dot or space at the end"),
    "reserved_name": ("nombre reservado de Windows", "reserved Windows name"),
    "tilde_first": ("«~» al comienzo", "“~” at the start"),
    "not_utf8": ("bytes que no son UTF-8", "bytes that are not UTF-8"),
    "byte_order_mark": ("marca de orden de bytes al comienzo", "byte order mark at the start"),
    "listed_twice": ("nombrado dos veces", "listed twice"),
    "outside_data": ("ruta fuera de data/", "path outside data/"),
    "inside_data": ("ruta dentro de data/", "path inside data/"),
    "not_a_digest_line": ("línea sin SHA-256 y ruta", "line without SHA-256 and path"),
    "tag_manifest_of_itself": ("se nombra a sí mismo", "names itself"),
    "too_large_to_read": ("demasiado grande para leerlo", "too large to be read"),
}

# What the readers of records say in English in «expected» and, of types, in «found»; in Spanish here.
PLAIN: dict[object, str] = {
    "object": "objeto",
    "array": "lista",
    "string": "texto",
    "integer": "número entero",
    "number": "número",
    "boolean": "true o false",
    "true or false": "true o false",
    "null": "null",
    "not empty": "un texto que no esté vacío",
    "a finite number": "un número finito",
    "a number that JSON does not have": "un número que JSON no tiene",
    "a member": "un archivo del paquete",
    "a record file": "un archivo de registros",
    "a pinned version": "una versión fijada",
    "another family": "otra familia",
    "another value": "otro valor",
    "absent for a human": "ausente, porque el juez es una persona",
    "64 lower-case hexadecimal digits": "64 dígitos hexadecimales en minúsculas",
    "RFC 3339, with offset": "RFC 3339, con desfase horario",
    "U+0000 or an unpaired surrogate": "U+0000 o un sustituto sin pareja",
    "YYYY-MM-DD": "AAAA-MM-DD",
    "absent for an agent run": "ausente en una ejecución de agente",
    "an absolute address without credentials": "una dirección absoluta sin credenciales",
    "rising numbers": "números en orden creciente",
    "absent where the submitter recorded": "ausente cuando registró quien entrega",
    "a name of the submitter's own": "un nombre propio de quien entrega",
    "32 bytes": "32 bytes",
}
