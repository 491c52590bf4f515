"""What chat applications write in place of a photo or another medium, in many languages.

Everything is in small letters, since that is how it is compared. Source: exports of WhatsApp (Android
and iOS), LINE, QQ and WeChat, and their translations as far as they are known; where a phrase is
missing, such a message stays a message.
"""

from __future__ import annotations

from collections.abc import Iterator

# What was left out, and how that is said. Genders and cases are not matched up: a combination that no
# application writes does no harm, since nobody types it either.
_OMITTED = (
    (
        "image|video|video note|audio|sticker|gif|document|contact card|media|view once message"
        "|view once voice message",
        "{} omitted",
    ),
    (
        "bild|video|videonachricht|audio|sticker|gif|dokument|kontaktkarte|medien",
        "{} weggelassen|{} ausgelassen|{} ausgeschlossen",
    ),
    (
        "image|vidéo|note vidéo|audio|sticker|gif|document|fiche contact|médias|fichier",
        "{} omis|{} omise|{} absent|{} absente|{} retiré|{} retirée|{} manquant|{} manquante|{} non inclus",
    ),
    (
        "imagen|video|vídeo|nota de video|audio|sticker|gif|documento|tarjeta de contacto|multimedia|archivo",
        "{} omitido|{} omitida",
    ),
    (
        "imagem|vídeo|mensagem de vídeo|áudio|figurinha|gif|documento|cartão do contato|cartão de contacto"
        "|mídia|arquivo de mídia|ficheiro",
        "{} omitido|{} omitida|{} ocultado|{} ocultada|{} oculto|{} oculta|{} não revelado|{} não revelada",
    ),
    (
        "immagine|video|videomessaggio|audio|sticker|gif|documento|scheda contatto|media",
        "{} omesso|{} omessa|{} omessi|{} escluso|{} esclusa|{} non incluso|{} non inclusa",
    ),
    (
        "afbeelding|video|videonotitie|audio|sticker|gif|document|contactkaart|media",
        "{} weggelaten|{} genegeerd",
    ),
    (
        "изображение|видео|видеосообщение|аудио|аудиофайл|стикер|gif|документ|карточка контакта|медиафайл"
        "|медиафайлы",
        "{} опущено|{} опущен|{} опущена|{} пропущено|{} пропущен|{} пропущена|{} пропущены",
    ),
    (
        "зображення|відео|відеоповідомлення|аудіо|аудіофайл|стікер|gif|документ|картка контакту|медіафайл"
        "|медіафайли",
        "{} пропущено|{} пропущений|{} вилучено|{} опущено",
    ),
    (
        "obraz|obrazek|grafikę|zdjęcie|wideo|film|dźwięk|audio|plik audio|naklejkę|naklejka|gif|dokument"
        "|kartę kontaktu|karta kontaktu|multimedia",
        "pominięto {}|{} pominięto|{} pominięty|{} pominięta|{} pominięte",
    ),
    (
        "görüntü|resim|fotoğraf|video|ses|çıkartma|gif|belge|kişi kartı|medya",
        "{} dahil edilmedi|{} atlandı|{} atlanmış",
    ),
    (
        "kuva|video|ääni|äänitiedosto|tarra|gif|asiakirja|yhteystietokortti|media",
        "{} jätetty pois|{} jätettiin pois|{} poistettu",
    ),
    (
        "bild|bilden|video|videon|ljud|ljudet|klistermärke|sticker|gif|dokument|kontaktkort|media",
        "{} utelämnad|{} utelämnat|{} utelämnades|{} utelämnats|{} har utelämnats|{} är utelämnad",
    ),
    ("bilde|video|lyd|klistremerke|gif|dokument|kontaktkort|media|medier", "{} utelatt|{} er utelatt"),
    (
        "billede|video|lyd|klistermærke|sticker|gif|dokument|kontaktkort|medie|medier|mediefil",
        "{} udeladt|{} er udeladt|{} blev udeladt",
    ),
    (
        "obrázek|video|zvuk|audio|nálepka|samolepka|gif|dokument|karta kontaktu|vizitka|média|médium",
        "{} vynechán|{} vynechána|{} vynecháno|{} vynechány",
    ),
    (
        "kép|videó|hang|hangfájl|matrica|gif|dokumentum|névjegykártya|média|médiafájl",
        "{} kihagyva|hiányzó {}|{} kimaradt",
    ),
    (
        "imagine|video|videoclip|audio|fișier audio|autocolant|sticker|gif|document|carte de vizită"
        "|conținut media|fișier media|media",
        "{} omis|{} omisă",
    ),
    (
        "εικόνα|βίντεο|ήχος|αρχείο ήχου|αυτοκόλλητο|gif|έγγραφο|κάρτα επαφής|πολυμέσα|τα πολυμέσα|πολυμέσων",
        "{} παραλείφθηκε|{} παραλείφθηκαν|παραλείφθηκε {}|{} παραλείπεται|παράλειψη {}|εξαίρεση {}",
    ),
    (
        "الصورة|الفيديو|الصوت|الملصق|صورة gif|المستند|بطاقة جهة الاتصال|الوسائط"
        "|صورة|فيديو|ملف صوتي|ملصق|مستند",
        "تم استبعاد {}|{} مستبعدة|{} المستبعدة|{} محذوفة|{} غير مدرجة",
    ),
    (
        "תמונה|סרטון|וידאו|קובץ קול|שמע|סטיקר|מדבקה|gif|מסמך|כרטיס איש קשר|המדיה|מדיה",
        "{} הושמט|{} הושמטה|{} לא נכלל|{} לא נכללה|השמטת {}",
    ),
    (
        "इमेज|फ़ोटो|चित्र|वीडियो|ऑडियो|स्टिकर|gif|दस्तावेज़|डॉक्यूमेंट|संपर्क कार्ड|मीडिया",
        "{} छोड़ा गया|{} छोड़ी गई|{} छोड़ दिया गया|{} हटाया गया|{} हटाई गई|{} शामिल नहीं है",
    ),
    (
        "gambar|video|audio|stiker|gif|dokumen|kartu kontak|media",
        "{} tidak disertakan|{} dihilangkan|{} diabaikan|{} tidak termasuk",
    ),
    (
        "画像|動画|ビデオ|音声|オーディオ|スタンプ|ステッカー|gif|書類|ドキュメント|連絡先カード|メディア",
        "{}は含まれていません|{}は省略されました|{}が省略されました|{}を省略|{}省略|{}なし",
    ),
    (
        "이미지|사진|동영상|비디오|음성|오디오|스티커|gif|문서|연락처 카드|미디어|미디어 파일",
        "{} 제외됨|{} 생략됨|{} 생략|{}을 제외한 대화내용|{}이 생략되었습니다|{}가 생략되었습니다",
    ),
    (
        "图像|图片|视频|音频|贴图|表情|gif|文档|文件|联系人卡片|媒体|媒体文件|影音内容",
        "{}已省略|{}已忽略|省略{}|忽略{}|已省略{}|已忽略{}",
    ),
    (
        "圖像|圖片|影片|視訊|音訊|語音|貼圖|gif|文件|檔案|聯絡人卡片|媒體|多媒體檔案|影音檔|影音內容",
        "{}已省略|{}已略去|{}已忽略|省略{}|忽略{}|略去{}|已省略{}|已忽略{}|{}省略",
    ),
)

_MEDIA_ONLY = """
<без медиафайлов>|<без медіафайлів>|<मीडिया के बिना>|<無媒體>|<媒體略>|live location shared
live-standort geteilt|ubicación en tiempo real compartida|position en direct partagée
localização em tempo real
posizione in tempo reale condivisa|(attachment)|[attachment]|(view once photo)|(view once video)
"""

_BRACKETED = """
photo|photos|picture|video|videos|sticker|stickers|voice message|audio|file|album|location|contact|gif
image
写真|スタンプ|動画|ボイスメッセージ|音声メッセージ|ファイル|アルバム|位置情報|連絡先|プレゼント|投票
ノート
照片|圖片|貼圖|影片|語音訊息|語音|檔案|相簿|位置訊息|位置資訊|聯絡資訊|聯絡人|記事本|禮物
图片|表情|视频|语音|文件|动画表情|位置|链接|红包|名片|音乐|小程序|闪照|聊天记录|转账|短视频|照片|贴图
收藏|分享|戳一戳
사진|스티커|동영상|음성메시지|음성 메시지|파일|앨범|위치|연락처
รูป|สติกเกอร์|วิดีโอ|ข้อความเสียง|ไฟล์|foto|stiker|vidéo|autocollant
"""

ATTACHED = """
attached|anhang|angehängt|pièce jointe|joint|fichier joint|adjunto|anexado|anexo|allegato|bijgevoegd
bijlage
прикреплено|вложение|прикрепленный файл|вкладено|вкладення|załącznik|załączono|ekli|ek|eklendi|liite
liitetty
bifogad|bifogat|bilaga|vedlagt|vedlegg|vedhæftet|vedhæftning|příloha|přiloženo|mellékelt|csatolva
melléklet
atașat|atașament|συνημμένο|επισυνάπτεται|مرفق|المرفق|מצורף|צורף|संलग्न|अटैच किया गया|terlampir|lampiran
添付|添付ファイル|첨부|첨부됨|附件|已附加|附加
"""
"""``<attached: x.jpg>`` and ``x.jpg <attached>``."""

FILE_ATTACHED = """
file attached|datei angehängt|fichier joint|archivo adjunto|arquivo anexado|ficheiro anexado
ficheiro em anexo
file allegato|bestand bijgevoegd|файл добавлен|файл прикреплён|файл прикреплен|файл додано
файл прикріплено
plik załączono|plik dołączono|załączono plik|plik w załączniku|dosya ekli|dosya eklendi
tiedosto liitetty
tiedosto liitteenä|bifogad fil|fil bifogad|fil vedlagt|vedlagt fil|fil er vedlagt|fil vedhæftet
vedhæftet fil
soubor připojen|přiložený soubor|soubor přiložen|soubor byl přiložen|fájl mellékelve|fájl csatolva
csatolt fájl
fișier atașat|συνημμένο αρχείο|επισυνάπτεται αρχείο|الملف مرفق|ملف مرفق|הקובץ צורף|קובץ מצורף
फ़ाइल संलग्न|फ़ाइल अटैच की गई
file terlampir|fail dilampirkan|添付ファイル|ファイル添付|ファイルを添付|파일 첨부|파일 첨부됨
파일 첨부함|첨부 파일
文件附件|附件|文件已附加|附加文件|已附加文件|檔案已附加|附加檔案|已附加檔案|檔案附件
"""
"""``x.jpg (file attached)``."""


def listed(table: str) -> Iterator[str]:
    """The phrases of a table written with ``|`` and line ends between them."""
    for row in table.split("\n"):
        yield from (phrase for phrase in row.split("|") if phrase)


def media_phrases() -> Iterator[str]:
    """The texts that stand for a medium, bare and in angle or square brackets."""
    for nouns, patterns in _OMITTED:
        for noun in nouns.split("|"):
            for pattern in patterns.split("|"):
                phrase = pattern.format(noun)
                yield from (phrase, f"<{phrase}>")
    yield from listed(_MEDIA_ONLY)
    yield from bracketed_phrases()


def bracketed_phrases() -> Iterator[str]:
    """The placeholders in square brackets, of which one message may hold several."""
    return (f"[{phrase}]" for phrase in listed(_BRACKETED))
